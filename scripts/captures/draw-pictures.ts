import { type CaptureStore, startCaptureStore } from './capture-store.ts';
import { makeCaptureWorld } from './capture-world.ts';
import { arrange, type Drawing, drawWindow, pictureOf } from './draw-window.ts';
import type { Scenario } from './scenario.ts';
import { OVERVIEW, SCENARIOS } from './scenarios.ts';

/** How many terminals are led at the same time. */
const AT_ONCE = 4;

/** Draws every picture of the docs from the built programs; gives the SVGs by name. Needs tmux. */
export async function drawPictures(): Promise<ReadonlyMap<string, string>> {
  const drawings = new Map<Scenario, Drawing>();
  const waiting = [...OVERVIEW.flat(), ...SCENARIOS];
  const store = await startCaptureStore();
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      drawings.set(next, await capture(next, store));
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  await store.remove();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  const drawn = (scenarios: readonly Scenario[]) =>
    scenarios.flatMap((scenario) => drawings.get(scenario) ?? []);
  return new Map([
    ['overview', pictureOf(arrange(OVERVIEW.map(drawn)), 'syncer in the terminal')],
    ...SCENARIOS.map((one) => [one.name, pictureOf(arrange([drawn([one])]), one.command)] as const),
  ]);
}

async function capture(scenario: Scenario, store: CaptureStore): Promise<Drawing> {
  const { name, command, title = command, prepare, columns = 80, rows = 24, reach } = scenario;
  const world = await makeCaptureWorld(store, { columns, rows });
  try {
    await prepare?.(world);
    await world.clear();
    await world.enter(command);
    await reach(world);
    return drawWindow({ title, columns, rows, text: await world.settled() });
  } catch (error) {
    throw new Error(`no picture of ${name}`, { cause: error });
  } finally {
    await world.remove();
  }
}
