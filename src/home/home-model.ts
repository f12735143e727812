import type { Key } from '../screen/key.ts';
import { StateScreen } from '../screen/state-screen.ts';
import type { HomeCommand, HomeContents } from './home-entry.ts';
import { type HomeEffect, type HomeView, takeHomeKey } from './home-keys.ts';

/** The home screen. Its result is what to run next; `undefined`: the user leaves. */
export class HomeModel extends StateScreen<HomeView, HomeEffect, HomeCommand | undefined> {
  readonly contents: HomeContents;

  constructor(contents: HomeContents) {
    super({ at: 'remotes', cursor: 0 });
    this.contents = contents;
  }

  override takesText(): boolean {
    return this.state.at === 'ask';
  }

  protected override takeKey(key: Key) {
    return takeHomeKey(this.contents, this.state, key);
  }

  protected override carryOut({ command }: HomeEffect): void {
    this.ended.resolve(command);
  }
}
