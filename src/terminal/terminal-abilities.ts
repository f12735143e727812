const WITH_LINKS = ['ghostty', 'WezTerm', 'iTerm.app', 'vscode', 'Hyper', 'WarpTerminal'];

/**
 * What a terminal of this environment can do besides text and colours: progress in its tab or in the task bar (OSC 9;4),
 * desktop notifications (OSC 777), links with a text (OSC 8). Nothing for one that it does not name, as some take a sequence that they
 * do not know for another one. A multiplexer hides the terminal.
 */
export function terminalAbilities(env: NodeJS.ProcessEnv) {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = env;
  const isHidden = /^(tmux|screen|dumb)/.test(term) || has(env, 'TMUX', 'STY', 'SYNCER_PLAIN');
  if (isHidden) return { progress: false, notifications: false, links: false };
  const vte = Number(env['VTE_VERSION'] ?? 0);
  const isKitty = has(env, 'KITTY_WINDOW_ID') || term === 'xterm-kitty';
  const isFoot = term.startsWith('foot');
  return {
    progress: has(env, 'WT_SESSION', 'ConEmuPID') || program === 'ghostty' || vte >= 8000,
    notifications:
      ['ghostty', 'WezTerm'].includes(program) ||
      [isKitty, isFoot, term.startsWith('rxvt-unicode')].some(Boolean),
    links:
      WITH_LINKS.includes(program) ||
      [isKitty, isFoot, vte >= 5000, term === 'alacritty'].some(Boolean) ||
      has(env, 'WT_SESSION', 'KONSOLE_VERSION', 'DOMTERM'),
  };
}

/** A link with its address as the text, for a terminal that knows links. Both must be harmless. */
export function linked(address: string): string {
  return `\x1b]8;;${address}\x1b\\${address}\x1b]8;;\x1b\\`;
}

function has(env: NodeJS.ProcessEnv, ...names: readonly string[]): boolean {
  return names.some((name) => Boolean(env[name]));
}
