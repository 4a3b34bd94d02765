/** Stands in for ajv in the bundle: conf loads it always and uses it only when it is given a schema, which it isn't. */
export const Ajv2020 = undefined;
export default undefined;
