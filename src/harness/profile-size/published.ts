/** What the published schemas say that the profile adds, in the same words as what is measured on the wire. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atCheckout } from '../subjects/paths.js';
import { type JsonSchema, schemaMembers } from './schema-members.js';
import type { Size } from './size.js';

export type PublishedSize = Pick<
  Size,
  | 'request_required'
  | 'request_optional'
  | 'result_required'
  | 'result_optional'
  | 'nested_members'
  | 'metadata_keys'
  | 'card_params'
  | 'token_claims'
>;

const FOLDER = 'docs/schemas/wire';
const SUFFIX = '.schema.json';
/** Schemas of what is no value of a metadata key. */
const NO_KEY = new Set(['card-params', 'error-info', 'token-header', 'token-claims']);

export function readSchemas(): Record<string, JsonSchema> {
  const folder = atCheckout(FOLDER);
  return Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => [
        file.slice(0, -SUFFIX.length),
        JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonSchema,
      ]),
  );
}

/** `schemas`: by the name of the file. Throws where one of those that PRF-01 counts is not there. */
export function publishedSize(schemas: Record<string, JsonSchema>): PublishedSize {
  const members = (name: string) => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`${FOLDER}/${name}${SUFFIX} is not there: nothing to count`);
    return schemaMembers(schema);
  };
  const [request, result] = [members('request'), members('result')];
  const keys = Object.keys(schemas).filter((name) => !NO_KEY.has(name));
  const nested = keys.flatMap((name) => {
    const { required, optional, nested: below } = members(name);
    const all = name === 'request' || name === 'result' ? below : [...required, ...optional, ...below];
    return all.map((path) => `EXT/${name}.${path}`);
  });
  const info = members('error-info').nested.map((path) => `ErrorInfo.${path}`);
  const params = members('card-params');
  const claims = members('token-claims');
  return {
    request_required: request.required,
    request_optional: request.optional,
    result_required: result.required,
    result_optional: result.optional,
    // The events in a page are A2A's own objects.
    nested_members: [...nested, ...info]
      .filter((path) => !path.startsWith('EXT/events.events[].event.'))
      .sort(),
    metadata_keys: keys.map((name) => `EXT/${name}`).sort(),
    card_params: [...params.required, ...params.optional, ...params.nested]
      // The keys themselves are RFC 7517's.
      .filter((path) => !path.startsWith('results.jwks.'))
      .sort(),
    token_claims: [...claims.required, ...claims.optional].sort(),
  };
}

/** One sentence for each thing that the wire and the schemas do not agree on. */
export function disagreements(published: PublishedSize, measured: Size): string[] {
  const beyond = (['nested_members', 'metadata_keys', 'card_params'] as const).flatMap((name) =>
    measured[name]
      .filter((one) => !published[name].includes(one))
      .map((one) => `${one} was seen, and no published schema has it`),
  );
  const all = (['request_required', 'result_required'] as const).flatMap((name) => [
    ...measured[name]
      .filter((one) => !published[name].includes(one))
      .map((one) => `${one} is needed, and the published schema does not require it (${name})`),
    ...published[name]
      .filter((one) => !measured[name].includes(one))
      .map((one) => `the published schema requires ${one}, and it is not needed (${name})`),
  ]);
  return [...beyond, ...all];
}

/** What either of the two has. */
export function together(published: PublishedSize, measured: Size): Size {
  const names = Object.keys(published) as (keyof PublishedSize)[];
  const merged = names.map((name) => [name, [...new Set([...published[name], ...measured[name]])].sort()]);
  return { ...measured, ...Object.fromEntries(merged) };
}
