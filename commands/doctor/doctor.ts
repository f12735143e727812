import type { Invocation } from '../../src/shell/command-line/command.ts';

/** `syncer doctor [remote:path…]` */
export async function doctorCommand(invocation: Invocation): Promise<void> {
  const { runDoctor } = await import('./run-doctor.ts');
  await runDoctor(invocation);
}
