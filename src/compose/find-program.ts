import type { Env } from '../core/io.ts';

/** The absolute path of a program that a person has named or that PATH has; undefined where it isn't found or isn't trusted. */
export const findProgram = async (word: string, env: Env): Promise<string | undefined> => {
  const [config, { thisMachine }] = await Promise.all([
    import('../config/key-command.ts'),
    import('../config/machine.ts'),
  ]);
  return config.findProgram(word, env, thisMachine);
};
