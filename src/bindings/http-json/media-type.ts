/** What bodies of the HTTP+JSON binding are called (A2A 11.1); `application/json` is read as the same. */
export const MEDIA_TYPE = 'application/a2a+json';
