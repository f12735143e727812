import { expect, test } from 'vitest';
import { ownCommand } from '../../../../src/shell/process/own-command-line.ts';

test('what the program starts of itself, and its units, has no debugger for SIGUSR1', () => {
  const { execArgv } = process;
  try {
    for (const given of [[], ['--disable-sigusr1'], ['--no-warnings']]) {
      process.execArgv = given;
      const [file, ...words] = ownCommand();
      expect(file).toBe(process.execPath);
      expect(words.filter((word) => word === '--disable-sigusr1')).toHaveLength(1);
      expect(words.slice(0, -1)).toEqual(expect.arrayContaining(given));
    }
  } finally {
    process.execArgv = execArgv;
  }
});
