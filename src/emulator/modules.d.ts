/** The contract as an OpenAPI document, which the build makes; package.json maps the module. */
declare module '#openapi' {
  const document: Readonly<Record<string, unknown>>;
  export default document;
}

/** The text of a file, which the build puts into the bundle. */
declare module '*?raw' {
  const text: string;
  export default text;
}
