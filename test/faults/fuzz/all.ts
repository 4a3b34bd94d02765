import { answers, failures, proven } from './answers.ts';
import { argvWords } from './argv.ts';
import { headers } from './headers.ts';
import { jsonText } from './json-text.ts';
import { ledger } from './ledger.ts';
import { output } from './output.ts';
import { pages } from './pages.ts';
import { profiles } from './profiles.ts';
import { csv, files, ndjson, tables } from './rows.ts';
import type { Target } from './target.ts';
import { times } from './times.ts';
import { wire } from './wire.ts';

/** Everything that parses foreign input. */
export const TARGETS: readonly Target[] = [
  argvWords,
  csv,
  tables,
  ndjson,
  files,
  answers,
  failures,
  proven,
  jsonText,
  headers,
  pages,
  profiles,
  ledger,
  times,
  output,
  wire,
];
