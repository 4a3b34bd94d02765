import { MEDIUM_NAMES } from '../../charge/mediums.ts';
import { profilesOf, profilesToChange } from '../../compose/run.ts';
import { LOCAL_PROFILE } from '../../core/data-files.ts';
import type { Env } from '../../core/io.ts';
import { madeHere, onePage } from '../../core/record.ts';
import type { Result, View } from '../../core/result.ts';
import { ALWAYS_LISTED, SETTINGS, type StoredDefaults, storedValue } from '../../core/settings.ts';
import type { Run } from '../run.ts';

export const settingView: View = {
  columns: [{ path: 'setting' }, { path: 'value', flexible: true }, { path: 'from' }],
};

/** Output row of a setting: its value (null if none) and the source of that value. */
interface Setting {
  readonly setting: string;
  readonly value: string | null;
  readonly from: string;
}

const BUILT_IN: Readonly<Record<string, string>> = { output: 'table', color: 'auto' };

const settingOf = (name: string, stored: StoredDefaults, env: Env): Setting => {
  const variables = { color: ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE'], time_zone: ['TZ'] }[name] ?? [];
  const variable = variables.find((one) => env[one]);
  if (variable !== undefined) return { setting: name, value: env[variable] ?? null, from: variable };
  const value = storedValue(stored, name, MEDIUM_NAMES);
  return value === undefined
    ? { setting: name, value: BUILT_IN[name] ?? null, from: 'built-in' }
    : { setting: name, value, from: `profile ${stored.profile}` };
};

const storedFor = async (run: Run): Promise<StoredDefaults> => {
  if (run.globals.local) return { profile: LOCAL_PROFILE, values: {} };
  const room = await profilesOf(run);
  return room.defaults(room.chosen(run.globals).name);
};

const shown = (setting: Setting): Result => ({ kind: 'record', record: madeHere(setting), view: settingView });

/** Lists every setting that has a value, and those that always have one. */
export const listSettings = async (_input: unknown, run: Run): Promise<Result> => {
  const stored = await storedFor(run);
  const names = SETTINGS.filter((name) => ALWAYS_LISTED.includes(name) || Object.hasOwn(stored.values, name));
  return { kind: 'list', pages: onePage(names.map((name) => settingOf(name, stored, run.io.env))), view: settingView };
};

export const getSetting = async ({ name }: { readonly name: string }, run: Run): Promise<Result> =>
  shown(settingOf(name, await storedFor(run), run.io.env));

/** Stores a setting in the profile; undefined removes it. */
export const setSetting = async (
  { name, value }: { readonly name: string; readonly value?: string },
  run: Run,
): Promise<Result> => {
  const room = await profilesToChange(run);
  const stored = room.setDefault(room.chosen(run.globals).name, name, value);
  return shown(settingOf(name, stored, {}));
};
