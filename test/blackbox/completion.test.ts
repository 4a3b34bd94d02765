import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { fromNpm } from '../../scripts/from-npm.ts';
import { PARSER } from '../../scripts/pinned.ts';
import { SEEDED } from '../../src/core/data-files.ts';
import { PROGRAM } from '../support/built.ts';
import { ugwoOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { BECOME, inShell, mayBecome } from '../support/shell.ts';
import { openOn, openTerminal, type TerminalSession } from '../support/terminal.ts';
import { begin, openDesk, writing } from './desk-support.ts';

type Shell = 'bash' | 'zsh' | 'fish';

const isThere = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** The command that starts each shell without user settings, and its first input. Ctrl-X g prints the line. */
const SHELLS: Readonly<
  Record<Shell, { readonly argv: readonly string[]; readonly bare: readonly string[]; readonly first: string }>
> = {
  bash: {
    argv: ['bash', '--noprofile', '-i'],
    bare: ['--norc'],
    first: `line() { printf '[<%s>]' "$READLINE_LINE"; }; bind -x '"\\C-xg": line'`,
  },
  zsh: {
    argv: ['zsh', '-i'],
    bare: ['-f'],
    first:
      `LISTMAX=9999; line() { print -rn -- "[<$BUFFER>]" }; zle -N line; bindkey '^Xg' line; ` +
      `bindkey '^I' complete-word`,
  },
  fish: {
    argv: ['fish', '-i'],
    bare: ['--no-config'],
    first: `set -g fish_autosuggestion_enabled 0; bind \\cxg 'printf "[<%s>]" (commandline)'`,
  },
};

/** Caches one value per key for tests that only read it. */
const once = <Key, Made>(make: (key: Key) => Promise<Made>): ((key: Key) => Promise<Made>) => {
  const made = new Map<Key, Promise<Made>>();
  return (key) => {
    const found = made.get(key) ?? make(key);
    made.set(key, found);
    return found;
  };
};

const scriptFor = once(async (shell: string) => (await paycli(['completion', shell])).stdout);

/** The `paycli` of the shell: the program, or a stub with one charge if the file `quick` exists. */
const QUICK = `[ -e "$PAYCLI_HOME/quick" ] && { printf 'chg-000000000000\\tone\\n'; exit; }
exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} "$@"`;

/** A shell with completion for `paycli` in its own folder. */
class Completing {
  readonly #session: TerminalSession;
  readonly cwd: string;

  private constructor(session: TerminalSession, cwd: string) {
    this.#session = session;
    this.cwd = cwd;
  }

  /** A shell that reads the script; with `isInstalled`, one that reads the start-up file of this home. */
  static async open(shell: Shell, home: string, isInstalled = false): Promise<Completing> {
    const cwd = newFolder('cwd');
    const script = join(newFolder('script'), `paycli.${shell}`);
    writeFileSync(script, await scriptFor(shell));
    const { argv, bare, first } = SHELLS[shell];
    const reads = `${shell === 'zsh' ? 'autoload -Uz compinit && compinit -u -D; ' : ''}source ${script}; `;
    const { env = {} } = inShell('', { home, also: { paycli: QUICK } });
    const options = { home, cwd, env: { ...env, PS1: 'ready$ ' } };
    const session = openOn(isInstalled ? argv : [...argv.slice(0, 1), ...bare, ...argv.slice(1)], options);
    await session.saw(/[$#%>]/);
    session.type(`${isInstalled ? '' : reads}${first}; echo set''up\r`);
    await session.saw(/setup\r?\n/);
    return new Completing(session, cwd);
  }

  /** The line after typing this text and Tab. */
  async tab(text: string): Promise<string> {
    const from = this.#session.raw().length;
    // The shell reads the key that prints the line after completing.
    this.#session.type(`${text}\t\u0018g`);
    await this.#session.saw(/\[<[^>]*>\]/, from);
    this.#session.type('\u0015');
    return /\[<([^>]*)>\]/.exec(this.#session.raw().slice(from))?.[1] ?? '';
  }

  /** Resolves once the shell has processed all input. */
  async over(): Promise<void> {
    this.#session.type("\u0015echo o''ver\r");
    await this.#session.saw(/over\r?\n/);
  }
}

/** A home whose local ledger has a charge, a job and a customer. */
const practised = once(async (_of: 'all') => {
  const { home } = await scene({
    before: [['ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--local']],
    stdin: `uid,email\n${SEEDED.onye},ada@example.com\n`,
    argv: ['onye', 'update', '--from', '-', '--local'],
    stderr: /^/,
  });
  return home;
});

/** A writable copy of it. */
const copied = async (): Promise<string> => {
  const home = newFolder();
  cpSync(await practised('all'), home, { recursive: true });
  return home;
};

/** Lines that differ for a shell: `=` and `,` within a word, and a space or none after it. */
const LINES: readonly (readonly [typed: string, completed: string])[] = [
  ['paycli ugw', 'paycli ugwo '],
  ['paycli --local -o json ledger sy', 'paycli --local -o json ledger sync '],
  ['paycli ugwo charge --med', 'paycli ugwo charge --medium '],
  ['paycli ugwo charge --medium=us', 'paycli ugwo charge --medium=ussd '],
  ['paycli ugwo list --status processing,not', 'paycli ugwo list --status processing,not-paid'],
  ['paycli watch --on paid,under', 'paycli watch --on paid,underpaid'],
  ['paycli ugwo list --columns=uid,created', 'paycli ugwo list --columns=uid,created_at'],
];

/** Typed words, and the one word that is offered for the last. */
const OFFERS: readonly (readonly [typed: string, offered: string])[] = [
  ['ugwo cha', 'charge'],
  ['payment cha', 'charge'],
  ['webhook events sh', 'show'],
  ['help ugwo cha', 'charge'],
  ['help exit', 'exit-codes'],
  ['schema led', 'ledger'],
  ['ugwo charge --medium us', 'ussd'],
  ['ugwo charge --provider zen', 'zenith'],
  ['--outp', '--output'],
  ['ugwo list -o nd', 'ndjson'],
  ['ugwo list --output=nd', '--output=ndjson'],
  ['checkout providers chk.a.b mob', 'mobile_money'],
];

const EVIL = [
  '$(touch ran)',
  '`touch ran`',
  '(touch ran)',
  '"$(touch ran)"',
  '"$(touch ran)',
  "'$(touch ran)'",
  '$(touch ran',
];
const ODD = ['a:b:', 'a\\ b', "it's", '"a b', '\\', 'a=b:c=', '*', '~', '$HOME', '!x', '{a,b}', '[a]'];

const linesWith = (word: string): readonly string[] => [
  `paycli ${word}`,
  `paycli ${word} ugwo ch`,
  `paycli ledger show ${word}`,
  `paycli --profile ${word} ledger show chg`,
  `paycli --columns=${word},u`,
  `paycli ugwo charge --from ${word}`,
  `paycli onye update --data @${word}`,
];

describe.runIf(process.platform !== 'win32')(
  'completion offers matching words and executes nothing that is typed',
  () => {
    it.runIf(isThere('bash'))('in bash', () => completes('bash'));
    it.runIf(isThere('zsh'))('in zsh', () => completes('zsh'));
    it.runIf(isThere('fish'))('in fish', () => completes('fish'));

    const completes = async (shell: Shell): Promise<void> => {
      const home = await copied();
      const session = await Completing.open(shell, home);

      // Commands, options and values.
      for (const [typed, completed] of LINES) expect((await session.tab(typed)).trimEnd()).toBe(completed.trimEnd());

      // Ids from this machine's ledger, where an id is expected.
      expect(await session.tab('paycli ledger show chg')).not.toMatch(/chg-\w/);
      expect(await session.tab('paycli --local ledger show chg')).toMatch(/show chg-\w{12}/);
      expect(await session.tab('paycli ledger list --local --ugwo=ugw.')).toContain(`--ugwo=${SEEDED.ugwo}`);

      // No word on the line is executed, whatever the answer.
      writeFileSync(join(home, 'quick'), '');
      expect(await session.tab('paycli ledger show chg')).toMatch(/show chg-0{12}/);
      const odd = ODD.flatMap((word, at) => linesWith(word).slice(at % 7, (at % 7) + 1));
      for (const line of [...EVIL.flatMap(linesWith), ...odd]) await session.tab(line);
      await session.over();
      expect(readdirSync(session.cwd)).toEqual([]);

      // File names, where a file is expected.
      rmSync(join(home, 'quick'));
      writeFileSync(join(session.cwd, 'charges of today.csv'), '');
      writeFileSync(join(session.cwd, 'body.json'), '{}');
      expect(await session.tab('paycli ugwo charge --from char')).toMatch(/--from charges\\ of\\ today\.csv/);
      expect(await session.tab('paycli ugwo charge --from=char')).toMatch(/--from=charges\\ of\\ today\.csv/);
      expect(await session.tab('paycli onye update --data @bo')).toMatch(/--data @body\.json/);
      expect((await session.tab('paycli ugwo get bo')).trimEnd()).toBe('paycli ugwo get bo');
    };
  },
);

describe('__complete', () => {
  const asked = (...words: readonly string[]) => ['__complete', 'zsh', ...words];
  const SHOW = ['--local', 'ledger', 'show', 'chg-'];

  it.each(OFFERS)('offers after %s: %s', async (typed, offered) => {
    await scene({ argv: asked(...typed.split(' ')), stdout: new RegExp(`^${offered}(?:\t.*)?\n$`) });
  });

  it.each([
    ['ledger list --local --job job', /^job-\w{16}/],
    ['--local onye get ony.', [SEEDED.onye]],
    ['activity get --local ugw.', [SEEDED.ugwo]],
    ['activity wait --local act.', /^act\.\w/],
    ['--profile loc', /^local/],
  ])('offers ids of the local ledger where an id is expected: %s', async (typed, stdout) => {
    await scene({ home: await practised('all'), argv: asked(...typed.split(' ')), stdout });
  });

  it('creates no file and prints no error', async () => {
    const home = newFolder();
    for (const words of [['ledger', 'show', ''], ['--profile', ''], ['$(touch x)', ''], ['']]) {
      await scene({ home, argv: asked(...words) });
    }
    expect(readdirSync(home)).toEqual([]);
    writeFileSync(join(home, 'ledger.sqlite'), 'no ledger at all', { mode: 0o600 });
    writeFileSync(join(home, 'config.json'), '{', { mode: 0o600 });
    await scene({ home, argv: asked('ledger', 'show', ''), stdout: '' });
    await scene({ home, argv: asked('--profile', ''), stdout: '' });
    expect(readdirSync(home).sort()).toEqual(['config.json', 'ledger.sqlite']);
  });

  it('reads an open or a closed ledger without changing it', async () => {
    const home = await copied();
    const files = () => readdirSync(home).map((name) => [name, readFileSync(join(home, name)).toString('hex')]);
    const before = files();
    const { stdout } = await scene({
      home,
      argv: asked(...SHOW),
      stdout: /^chg-\w{12}\tINV-\d+ \S+@example\.com NGN [\d,.]+ open\n$/,
    });
    expect(files()).toEqual(before);
    for (const left of ['ledger.sqlite-wal', 'ledger.sqlite-shm']) {
      writeFileSync(join(home, left), '', { mode: 0o600 });
      await scene({ home, argv: asked(...SHOW), stdout });
      expect(files()).toHaveLength(before.length + 1);
      rmSync(join(home, left));
    }
    const open = new DatabaseSync(join(home, 'ledger.sqlite'));
    try {
      open.exec('SELECT count(*) FROM charge');
      const beside = readdirSync(home).sort();
      await scene({ home, argv: asked(...SHOW), stdout });
      expect(readdirSync(home).sort()).toEqual(beside);
    } finally {
      open.close();
    }
  });

  it('offers only refunds to refund get', async () => {
    const home = await copied();
    const ledger = new DatabaseSync(join(home, 'ledger.sqlite'));
    const columns = ledger.prepare(`SELECT name FROM pragma_table_info('charge') WHERE name <> 'seq'`).all();
    const names = columns.map(({ name }) => String(name));
    const values = names.map((name) => ({ id: "'refund-a1'", kind: "'refund'" })[name] ?? name);
    ledger.exec(`INSERT INTO charge (${names.join()}) SELECT ${values.join()} FROM charge LIMIT 1`);
    ledger.close();
    await scene({ home, argv: asked('--local', 'refund', 'get', ''), stdout: /^refund-a1\t[^\n]*\n$/ });
  });

  it('shows the ref and the customer beside requests, and offers to charge only those that can be', async () => {
    const { home, post, shopRequest, charge, settle, sync } = await openDesk();
    const { json: ada } = await post('/v1/onye', { email: 'ada@example.com', first_name: 'Ada' });
    const request = async (ref: string): Promise<string> => {
      return (await shopRequest({ ref, amount: 90_000, onye: ada.uid })).uid;
    };
    const requests = await Promise.all(['INV-PAID', 'INV-PART', 'INV-BACK', 'INV-OPEN'].map(request));
    const activities = await Promise.all(requests.map((uid) => charge(uid)));
    const [paid = '', part = '', reversed = '', open = ''] = requests;
    await settle(String(activities[0]), 'successful');
    await settle(String(activities[1]), 'successful', 40_000);
    await settle(String(activities[2]), 'successful');
    await sync();
    await settle(String(activities[2]), 'reversed');
    await sync();
    await writing(home, async (ledger) => {
      for (const [about, ref] of [
        [ugwoOf(1), 'INV\u001b[31m\u00e9'],
        [ugwoOf(2), 'LOST'],
      ] as const) {
        const state = about === ugwoOf(1) ? 'not_sent' : 'unknown';
        await begin(ledger, { about, asked: { ref } }, { state, exitCode: 0 });
      }
    });
    const offered = async (...words: readonly string[]): Promise<readonly (string | undefined)[][]> => {
      const { stdout } = await inProcess(asked(...words), { home });
      return stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t'))
        .sort();
    };
    const about = (ref: string, status: string) => `${ref} ada@example.com NGN 900.00 ${status}`;
    const due = [
      [part, about('INV-PART', 'part paid')],
      [reversed, about('INV-BACK', 'reversed')],
      [ugwoOf(1), 'INV [31m  not sent'],
    ];
    expect(await offered('ugwo', 'charge', 'ugw.')).toEqual(due.sort());
    const others = [
      [paid, about('INV-PAID', 'paid')],
      [open, about('INV-OPEN', 'open')],
      [ugwoOf(2), 'LOST unknown'],
    ];
    expect(await offered('ugwo', 'get', 'ugw.')).toEqual([...due, ...others].sort());
    expect(await offered('onye', 'get', 'ony.')).toEqual([[ada.uid, 'ada@example.com']]);
    // What is typed may be the beginning of a name.
    expect(await offered('ugwo', 'get', 'INV-P')).toEqual([
      ['INV-PAID', paid],
      ['INV-PART', part],
    ]);
    expect(await offered('ugwo', 'charge', 'INV-P')).toEqual([['INV-PART', part]]);
    expect(await offered('activity', 'get', 'INV')).toHaveLength(4);
    const charged = activities.slice(0, 2).map(String);
    for (const command of [
      ['refund', 'create'],
      ['emulator', 'settle'],
    ])
      expect(await offered(...command, 'INV-P')).toEqual([
        ['INV-PAID', charged[0]],
        ['INV-PART', charged[1]],
      ]);
    // Here only the id is taken.
    expect(await offered('activity', 'get', paid, 'INV-P')).toEqual([['']]);
    const shown = await offered('ledger', 'show', 'INV-P');
    expect(shown.map(([word]) => word)).toEqual(['INV-PAID', 'INV-PART']);
    expect(await offered('onye', 'get', 'ada')).toEqual([['ada@example.com', ada.uid]]);
    expect(await offered('ugwo', 'get', '')).toHaveLength(6);
  });

  it('offers no local ids for a live profile, and the reverse', async () => {
    const show = { home: await practised('all'), argv: asked(...SHOW.slice(1)) };
    await scene({ ...show, stdout: '' });
    await scene({ ...show, env: { PAYCLI_PROFILE: 'local' }, stdout: /^chg-/ });
  });

  it('prints only words that need no quoting', async () => {
    const home = await copied();
    const ledger = new DatabaseSync(join(home, 'ledger.sqlite'));
    ledger.exec(
      `UPDATE charge SET ugwo = 'ugw.a.$(touch ran)', activity = 'act.a.b', currency = 'N' || char(27) || '[31mGN'`,
    );
    ledger.close();
    await scene({ home, argv: asked('--local', 'ugwo', 'get', ''), stdout: '' });
    await scene({ home, argv: asked('--local', 'refund', 'create', ''), stdout: /^act\.a\.b\t[ -~]*\n$/ });
  });

  it.each<[line: string, printed: string]>([
    ['paycli "ugwo" cha', 'charge\n'],
    ["paycli 'ugwo' ch\\a", 'charge\n'],
    ['paycli ugwo charge --medium="us', 'ussd\n'],
    ['paycli ugwo charge --from "a b', ':file:a b\n'],
    ['paycli onye update --data=@a\\ b', ':source:a b\n'],
    ['paycli ugwo charge -- --med', ''],
    ['paycli --timeout 5 docto', 'doctor\n'],
    ['paycli whoami --chec', '--check\n'],
  ])('parses the line %s like bash', async (line, stdout) => {
    await scene({ argv: ['__complete', 'bash', line, '=:'], stdout });
  });

  it('strips the quotes of PowerShell', () =>
    scene({ argv: ['__complete', 'powershell', "'ugwo'", 'charge', '--medium', '""'], stdout: ['ussd\t'] }));
});

describe('completion SHELL', () => {
  it.each([
    ['an unknown shell', ['ksh'], /bash, zsh, fish, powershell/],
    ['two shells', ['bash', 'zsh'], /too many arguments for completion: zsh/],
    ['no shell', [], /missing required argument 'what': bash, zsh, fish, powershell, install, uninstall/],
  ])('refuses %s', async (_what, words, stderr) => {
    await scene({ argv: ['completion', ...words], exit: 2, stderr });
  });
});

it.runIf(isThere('zsh'))('names what is missing where zsh reads the script before compinit', async () => {
  const script = join(newFolder('script'), 'paycli.zsh');
  writeFileSync(script, await scriptFor('zsh'));
  const before = spawnSync('zsh', ['-f', '-c', `source ${script}`], { encoding: 'utf8' });
  expect(before).toMatchObject({ status: 0, stdout: '' });
  expect(before.stderr).toMatch(/^paycli: completion needs compinit\. .*: autoload -Uz compinit && compinit\n$/);
  const behind = `autoload -Uz compinit && compinit -u -D; source ${script}`;
  expect(spawnSync('zsh', ['-f', '-c', behind], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

describe('completion install', () => {
  const install = (shell: Shell, ...more: readonly string[]) => ['completion', 'install', shell, ...more];
  const uninstall = (shell: Shell, ...more: readonly string[]) => ['completion', 'uninstall', shell, ...more];
  const NEW_SHELL = 'Open a new shell.\n';

  const PLACES = [
    ['bash', '.local/share/bash-completion/completions/paycli', '.bashrc', /^Add to .*\.bashrc:\n# >>>[\s\S]*source /],
    [
      'zsh',
      '.local/share/zsh/site-functions/_paycli',
      '.zshrc',
      /^Add to .*\.zshrc:\n# >>>[\s\S]*fpath=\(.*functions /,
    ],
    ['fish', '.config/fish/completions/paycli.fish', '.config/fish/config.fish', /^Open a new shell\.\n$/],
  ] as const;

  it.each(PLACES)(
    'writes the script where %s loads it, and prints the remaining steps',
    async (shell, place, startup, stderr) => {
      const { home } = await scene({ env: { SHELL: `/usr/bin/${shell}` }, argv: ['completion', 'install'], stderr });
      expect(readFileSync(join(home, place), 'utf8').trim()).toBe((await scriptFor(shell)).trim());
      expect(existsSync(join(home, startup))).toBe(false);
    },
  );

  it.runIf(process.platform !== 'win32')(
    'lets nobody else change what a new shell runs, also with an open umask',
    async () => {
      const [home, [, place, startup]] = [newFolder(), PLACES[0]];
      const words = ['-c', 'umask 000; exec "$@"', 'sh', ...PROGRAM, ...install('bash', '--yes')];
      const run = () => start(words, { home, program: ['/bin/sh'] }).ended;
      const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
      expect(await run()).toMatchObject({ code: 0 });
      const script = join(home, place);
      expect([script, join(home, startup), dirname(script), dirname(dirname(script))].map(mode)).toEqual([
        '644',
        '644',
        '755',
        '755',
      ]);
      chmodSync(script, 0o666);
      expect(await run()).toMatchObject({ code: 0 });
      expect(mode(script)).toBe('644');
    },
  );

  /** A second compinit would leave a file. */
  const COMPINIT = 'autoload -Uz compinit && compinit -u -D\ncompinit() { : > ~/twice }\n';

  const STARTUPS: readonly (readonly [Shell, string, string | Uint8Array])[] = [
    ['bash', '.bashrc', Buffer.from('# M\xfcller\nPS1="ready$ "', 'latin1')],
    ['zsh', '.zshrc', 'alias x=y'],
    ['zsh', '.zshrc', COMPINIT],
    ['fish', '.config/fish/config.fish', 'set -g x y\n'],
  ];

  for (const [shell, name, text] of STARTUPS) {
    it.runIf(isThere(shell))(`completes in a new ${shell}, and is removed without a trace: ${text}`, async () => {
      const [home, file] = [await copied(), join(newFolder(), 'it')];
      const startup = join(home, name);
      mkdirSync(dirname(startup), { recursive: true });
      writeFileSync(startup, text);
      await scene({ home, argv: install(shell, '--yes'), stderr: NEW_SHELL });
      const session = await Completing.open(shell, home, true);
      expect((await session.tab('paycli ugwo charge --med')).trimEnd()).toBe('paycli ugwo charge --medium');
      expect(await session.tab('paycli --local ledger show chg')).toMatch(/show chg-\w{12}/);
      await session.over();
      expect(existsSync(join(home, 'twice'))).toBe(false);
      cpSync(startup, file);
      await scene({ home, argv: install(shell), stderr: NEW_SHELL });
      expect(readFileSync(startup)).toEqual(readFileSync(file));
      await scene({ home, argv: uninstall(shell), stderr: /^Removed .*paycli/ });
      expect(readFileSync(startup)).toEqual(Buffer.from(text));
      const [, place] = PLACES.find(([one]) => one === shell) ?? ['', ''];
      expect(existsSync(join(home, place))).toBe(false);
      await scene({ home, argv: uninstall(shell, '-o', 'tsv'), stderr: 'Nothing was there.\n' });
    });
  }

  it.runIf(isThere('bash'))('leaves bash to the package bash-completion, and a missing script alone', async () => {
    const { home } = await scene({ argv: install('bash', '--yes'), stderr: NEW_SHELL });
    const bash = (script: string) =>
      spawnSync('bash', ['--norc', '-c', `${script}; source ${home}/.bashrc; complete -p paycli`], {
        encoding: 'utf8',
      });
    expect(bash(':')).toMatchObject({ status: 0, stdout: 'complete -F _paycli paycli\n', stderr: '' });
    expect(bash('BASH_COMPLETION_VERSINFO=(2 11)').status).toBe(1);
    rmSync(join(home, PLACES[0][1]));
    expect(bash(':').stderr).toMatch(/^bash: line 1: complete: paycli: no completion specification\n$/);
  });

  const isUnix = process.platform !== 'win32';

  it.runIf(isUnix)('shows the lines on a terminal, and adds them after a yes', async () => {
    const home = newFolder();
    for (const [answer, code] of [
      ['n', 130],
      ['y', 0],
    ] as const) {
      const terminal = openTerminal(['completion', 'install', 'bash'], { home, columns: 200 });
      await terminal.saw(/\[y\/N\] /);
      const shown = (await terminal.screen()).split('\n');
      expect(shown[0]).toBe(`${join(home, '.bashrc')} will contain:`);
      expect(existsSync(join(home, '.bashrc')) || existsSync(join(home, '.local'))).toBe(false);
      terminal.type(`${answer}\r`);
      expect(await terminal.ended).toEqual({ code });
      if (code === 0) expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(`${shown.slice(1, 4).join('\n')}\n`);
    }
  });

  const OLD = '# >>> paycli completion >>>\nold\n# <<< paycli completion <<<\n';

  it.runIf(isUnix)('replaces an older block in place, behind a link, and keeps the mode and the owner', async () => {
    const [home, dotfiles] = [newFolder(), newFolder()];
    const [link, file] = [join(home, '.zshrc'), join(dotfiles, 'zshrc')];
    writeFileSync(file, `a\n\n${OLD}b\n`);
    chmodSync(file, 0o606);
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined) chownSync(file, uid, uid);
    symlinkSync(file, link);
    await scene({ home, argv: install('zsh', '--yes'), stderr: NEW_SHELL });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(
      /^a\n\n# >>> paycli completion >>>\nfpath=[\s\S]*\n# <<<[^\n]* <<<\nb\n$/,
    );
    expect(statSync(file)).toMatchObject({ mode: 0o100606, ...(uid === undefined ? {} : { uid, gid: uid }) });
    await scene({ home, argv: uninstall('zsh'), stderr: /^Removed / });
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
    expect(readdirSync(dotfiles)).toEqual(['zshrc']);
  });

  it.each([
    ['a line behind the block stays a line', `a\n${OLD}b\n`, 'a\nb\n'],
    ['a block at the start', `${OLD}b`, 'b'],
    ['no line break behind it', `a\n\n${OLD.trimEnd()}`, 'a\n'],
    ['only its beginning', `a\n# >>> paycli completion >>>\nb\n\n${OLD}`, 'a\n# >>> paycli completion >>>\nb\n'],
    ['only its beginning, and no end', 'a\n# >>> paycli completion >>>\nb\n', 'a\n# >>> paycli completion >>>\nb\n'],
  ])('removes nothing else: %s', async (_what, before, after) => {
    const home = newFolder();
    writeFileSync(join(home, '.bashrc'), before);
    await scene({ home, argv: uninstall('bash'), stderr: /^/ });
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(after);
  });

  it('adds the lines in the folder of ZDOTDIR, with quotes where the shell needs them', async () => {
    const [home, ZDOTDIR] = [newFolder("it's a home"), newFolder()];
    await scene({ home, env: { ZDOTDIR }, argv: install('zsh', '--yes'), stderr: NEW_SHELL });
    expect(readFileSync(join(ZDOTDIR, '.zshrc'), 'utf8')).toMatch(/^fpath=\('.*it'\\''s a home.*' \$fpath\)$/m);
    expect(readdirSync(home)).not.toContain('.zshrc');
  });

  it('leaves the script of another program', async () => {
    const home = newFolder();
    const file = join(home, PLACES[2][1]);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '# mine\n');
    const stdout = '{"shell":"fish","file":null,"startup_file":null}\n';
    await scene({ home, argv: uninstall('fish', '--json'), stdout });
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
  });

  it.runIf(process.platform === 'linux')('prints the lines if the start-up file is read-only', async () => {
    const home = newFolder();
    symlinkSync('/proc/version', join(home, '.bashrc'));
    await scene({
      home,
      argv: install('bash', '--yes'),
      exit: 2,
      stderr: /^error: completion can't be installed: E[\s\S]*\.bashrc:\n *# >>>[\s\S]*source [\s\S]*# <<<[\s\S]*\n→ /,
    });
  });

  it.runIf(mayBecome()).each([
    ['does not change a read-only file, though its folder is writable', 0o444, 2],
    ["adds the lines to another user's file, and its owner stays", 0o666, 0],
  ])('%s', async (_what, mode, code) => {
    const home = newFolder();
    const file = join(home, '.bashrc');
    writeFileSync(file, 'mine\n');
    chmodSync(file, mode);
    chmodSync(home, 0o777);
    const variables = [`HOME=${home}`, `PAYCLI_HOME=${newFolder()}`, `XDG_DATA_HOME=${home}`];
    const program = [...BECOME, 'env', '-i', ...variables, ...PROGRAM] as const;
    const ended = await start(install('bash', '--yes'), { program }).ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(code === 0 ? 'Open a new shell' : 'EACCES: permission denied, open');
    expect(statSync(file)).toMatchObject({ uid: 0, mode: 0o100000 + mode });
    expect(readFileSync(file, 'utf8')).toMatch(code === 0 ? /^mine\n\n# >>>/ : /^mine\n$/);
  });

  it.each(['', 'home', '.'])('writes nothing into the working folder (HOME=%j)', async (HOME) => {
    const cwd = newFolder('cwd');
    await scene({
      cwd,
      env: { HOME, XDG_CONFIG_HOME: './x' },
      argv: install('fish'),
      exit: 4,
      stderr: ['no home folder is known: HOME is '],
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('overwrites its own file but no other', async () => {
    const [home, [, place]] = [newFolder(), PLACES[0]];
    const file = join(home, place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await scriptFor('bash'));
    const stdout = `${JSON.stringify({ shell: 'bash', file, startup_file: null })}\n`;
    await scene({ home, argv: install('bash', '--json'), stdout });
    writeFileSync(file, '# mine\n');
    await scene({ home, argv: install('bash'), exit: 2, stderr: ['was not made by paycli'] });
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it.each([
    ['asks for the shell if SHELL is unknown', [], 'completion install bash'],
    ['explains the setup for PowerShell', ['powershell'], '$PROFILE'],
  ])('%s', async (_title, words, said) => {
    await scene({ env: { SHELL: '/bin/ksh' }, argv: ['completion', 'install', ...words], exit: 2, stderr: [said] });
  });
});

interface TreeSitter {
  readonly Parser: {
    init(): Promise<void>;
    new (): { setLanguage(language: unknown): void; parse(text: string): { rootNode: { hasError: boolean } } };
  };
  readonly Language: { load(bytes: Uint8Array): Promise<unknown> };
}

/** Parses PowerShell; returns true for a script without a syntax error. */
const powershellParser = async (): Promise<(script: string) => boolean> => {
  const folder = await fromNpm(PARSER);
  const { default: tree } = (await import(join(folder, 'tree-sitter.js'))) as { default: TreeSitter };
  await tree.Parser.init();
  const parser = new tree.Parser();
  parser.setLanguage(await tree.Language.load(readFileSync(join(folder, 'tree-sitter-powershell.wasm'))));
  return (script) => !parser.parse(script).rootNode.hasError;
};

describe('the script for PowerShell', () => {
  const argv = ['completion', 'powershell'];

  it('never evaluates input', async () => {
    const { stdout } = await scene({ argv, stdout: ['__complete powershell @words $current'] });
    expect(stdout).not.toMatch(/Invoke-Expression|\biex\b|\[scriptblock\]::Create|ExpandString/i);
  });

  it('parses as PowerShell', async () => {
    const [parses, { stdout }] = [await powershellParser(), await scene({ argv })];
    expect(parses(stdout)).toBe(true);
    expect(parses(stdout.replace('Where-Object {', 'Where-Object '))).toBe(false);
  });
});
