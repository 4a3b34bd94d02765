/** The path at which the emulator serves it, to whoever asks. */
export const OPENAPI = '/openapi.json';

/** The contract as an OpenAPI document, as the package holds it; read when it is asked for. */
export const openapiText = async (): Promise<string> => {
  const { default: document } = await import('#openapi', { with: { type: 'json' } });
  return JSON.stringify(document, null, 2);
};
