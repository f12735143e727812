import { expect, test } from 'vitest';
import { namedKey } from '../../../src/terminal/key.ts';
import { StateScreen, stepTo } from '../../../src/terminal/state-screen.ts';

class FailingScreen extends StateScreen<string, 'fail' | 'end', string> {
  keys() {
    return [];
  }

  protected override takeKey() {
    return stepTo('pressed', 'fail' as const, 'end' as const);
  }

  protected override carryOut(effect: 'fail' | 'end'): void {
    if (effect === 'fail') throw new Error('no such effect');
    this.ended.resolve('ended');
  }
}

test('an effect that throws ends the screen with its error, and the new state is drawn', async () => {
  const screen = new FailingScreen('new');
  const failed = expect(screen.result).rejects.toThrow('no such effect');
  const drawn: string[] = [];
  screen.subscribe(() => void drawn.push(screen.state));
  screen.press(namedKey('enter'));
  await failed;
  expect(drawn).toEqual(['pressed']);
});
