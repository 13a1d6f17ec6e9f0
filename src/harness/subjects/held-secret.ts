/** In the working directory of a relay with a planted defect: where the files of a secret are that only a relay which is wrong on purpose is given. */
export const HELD_SECRET = 'held-secret.json';
