import { expect, test } from 'vitest';
import { manPages } from '../../../../commands/generate/man-pages.ts';
import { markdownPages } from '../../../../commands/generate/markdown-pages.ts';
import { COMMANDS } from '../../../../commands/index.ts';
import { allUsages } from '../../../../src/shell/command-line/command.ts';
import { ownFlags } from '../../../../src/shell/command-line/flag-set.ts';

const shown = allUsages(COMMANDS).filter(({ hidden }) => hidden !== true);
const markdown = new Map(markdownPages(COMMANDS).map(({ path, text }) => [path, text]));
const man = new Map(manPages(COMMANDS).map(({ path, text }) => [path, text]));

test.each(shown)('$name has a page with its flags, in both forms', ({ name, summary }) => {
  const page = markdown.get(`commands/syncer_${name.replaceAll(' ', '_')}.md`) ?? '';
  expect(page).toContain(`# syncer ${name}\n\n${summary}.\n`);
  const manual = man.get(`syncer-${name.replaceAll(' ', '-')}.1`) ?? '';
  expect(manual).toMatch(/^\.TH SYNCER\\-/);
  for (const flag of ownFlags(COMMANDS, name)) {
    expect(page).toMatch(new RegExp(`--${flag.name}\\b`));
    expect(manual).toContain(`\\-\\-${flag.name.replaceAll('-', '\\-')}`);
  }
});

test('there are no other pages, and none of hidden commands', () => {
  expect(markdown.size).toBe(shown.length + 2);
  expect(man.size).toBe(shown.length + 1);
  expect([...markdown.keys(), ...man.keys()].join()).not.toContain('__complete');
});

test('every link leads to a page', () => {
  for (const text of markdown.values()) {
    for (const [, link = ''] of text.matchAll(/\]\(\/(commands\/\w+|flags)\/\)/g)) {
      expect(markdown.has(`${link}.md`)).toBe(true);
    }
  }
});

test('no line of text is taken for a request of roff', () => {
  const known = /^\.(TH|SH|SS|TP|PP|B|BR|I|nf|fi)\b/;
  for (const text of man.values()) {
    expect(text.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line))).toEqual([]);
  }
});
