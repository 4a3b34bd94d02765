/** The contract as an OpenAPI document, which the build makes; package.json maps the module. */
declare module '#openapi' {
  const document: Readonly<Record<string, unknown>>;
  export default document;
}
