import type { StepOf } from '../plan/step.ts';
import type { Doer } from './job.ts';

/** Reads the units anew; the way back comes with that of the units themselves. */
export const reload: Doer<StepOf<'reload'>> = async (_step, { services }) => {
  await services.reload();
  return '';
};

/** Starts units; what was started is stopped again on the way back, even where the start failed half-way. */
export const start: Doer<StepOf<'start'>> = async (step, { services }, state, undo) => {
  const units = chosen(step, state.takesSocket);
  undo(`stopped ${units.join(', ')}`, () => services.stop(units));
  await services.start(units);
  return '';
};

/** Enables units at boot. */
export const enable: Doer<StepOf<'enable'>> = async (step, { services }, state, undo) => {
  const units = chosen(step, state.takesSocket);
  undo(`disabled ${units.join(', ')}`, () => services.disable(units));
  await services.enable(units);
  return '';
};

/** Restarts a unit with its new program; the way back comes with that of the program. */
export const restart: Doer<StepOf<'restart'>> = async ({ unit }, { services }, state) => {
  state.restarted = unit;
  await services.restart(unit);
  return '';
};

/** Stops units. */
export const stop: Doer<StepOf<'stop'>> = async ({ units }, { services }) => {
  await services.stop(units);
  return '';
};

/** Units that are disabled do not start at boot. */
export const disable: Doer<StepOf<'disable'>> = async ({ units }, { services }) => {
  await services.disable(units);
  return '';
};

function chosen(
  { units, socket }: { readonly units: readonly string[]; readonly socket?: string },
  takesSocket: boolean,
): readonly string[] {
  return takesSocket && socket !== undefined ? [socket, ...units] : units;
}
