import type { Key } from '../screen/key.ts';
import { StateScreen } from '../screen/state-screen.ts';
import { takeMatches } from './ask-keys.ts';
import type { HomeCommand, HomeContents } from './home-entry.ts';
import { takeHomeKey } from './home-keys.ts';
import type { HomeEffect, HomeView } from './home-view.ts';

/** The home screen. Its result is what to run next; `undefined`: the user leaves. */
export class HomeModel extends StateScreen<HomeView, HomeEffect, HomeCommand | undefined> {
  readonly contents: HomeContents;

  constructor(contents: HomeContents) {
    const remote = contents.remotes.find(({ name }) => name === contents.remote);
    super(
      remote === undefined ? { at: 'remotes', cursor: 0 } : { at: 'actions', remote, cursor: 0 },
    );
    this.contents = contents;
  }

  override takesText(): boolean {
    return this.state.at === 'ask';
  }

  protected override takeKey(key: Key) {
    return takeHomeKey(this.contents, this.state, key);
  }

  protected override carryOut(effect: HomeEffect): void {
    if (effect.type === 'end') this.#end(effect.command);
    else if (effect.type === 'test') void this.#test(effect.remote);
    else void this.#complete(effect.words, effect.typed);
  }

  #end(command: HomeCommand | undefined): void {
    const remote = 'remote' in this.state ? { remote: this.state.remote.name } : {};
    this.ended.resolve(command && { ...command, ...remote });
  }

  async #test(remote: string): Promise<void> {
    const test = await this.contents.test(remote);
    const { state } = this;
    if (state.at === 'actions' && state.remote.name === remote) this.show({ ...state, test });
  }

  async #complete(words: readonly string[], typed: string): Promise<void> {
    const matches = await this.contents.complete(words, typed).catch(() => []);
    this.show(takeMatches(this.state, typed, matches));
  }
}
