/** The members that a published JSON Schema names: required, optional, and every path below them. */

/** As much of JSON Schema as the published ones use. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema | boolean;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

export interface SchemaMembers {
  required: string[];
  optional: string[];
  /** `a.b`, `a[].c`: below the members, never the members themselves. */
  nested: string[];
}

/** Deeper than any of ours; a schema that names itself ends there. */
const MOST_DEEP = 8;

export function schemaMembers(schema: JsonSchema): SchemaMembers {
  const branches = resolve(schema, schema);
  const names = new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties)));
  const required = [...names].filter((name) => branches.some((one) => one.required?.includes(name) === true));
  return {
    required: required.sort(),
    optional: [...names].filter((name) => !required.includes(name)).sort(),
    nested: [...new Set(below(schema, schema, '', 0))].filter((path) => /[.[]/.test(path)).sort(),
  };
}

function below(schema: JsonSchema, root: JsonSchema, at: string, depth: number): string[] {
  if (depth > MOST_DEEP) return [];
  return resolve(schema, root).flatMap(({ properties = {}, items, prefixItems = [] }) => [
    ...Object.entries(properties).flatMap(([name, held]) => {
      const path = at === '' ? name : `${at}.${name}`;
      return [path, ...below(held, root, path, depth + 1)];
    }),
    ...[typeof items === 'object' ? items : [], prefixItems]
      .flat()
      .flatMap((item) => below(item, root, `${at}[]`, depth + 1)),
  ]);
}

/** The schema itself and all that it is put together from. Throws where it refers to what is not in it. */
function resolve(
  schema: JsonSchema,
  root: JsonSchema,
  seen: ReadonlySet<JsonSchema> = new Set(),
): JsonSchema[] {
  if (seen.has(schema)) return [];
  const now = new Set([...seen, schema]);
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
  const named = $ref === undefined ? [] : [at(root, $ref)];
  return [schema, ...[named, anyOf, oneOf, allOf].flat().flatMap((part) => resolve(part, root, now))];
}

function at(root: JsonSchema, ref: string): JsonSchema {
  const found = ref === '#' ? root : root.$defs?.[/^#\/\$defs\/([^/]+)$/.exec(ref)?.[1] ?? ''];
  if (found === undefined) throw new Error(`a schema refers to ${ref}, which is not in it`);
  return found;
}
