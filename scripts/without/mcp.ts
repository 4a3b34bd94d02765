/** All that the MCP server takes from its platform: the process, and a validator of forms, in place of its copy of ajv. */
export const process = globalThis.process;

/** Accepts every form: paycli's questions have no fields. */
export class DefaultJsonSchemaValidator {
  getValidator() {
    return (data: unknown) => ({ valid: true, data, errorMessage: undefined });
  }
}
