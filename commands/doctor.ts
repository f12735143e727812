import type { Invocation } from '../src/app/command.ts';

/** `syncer doctor [remote:path…]` */
export async function doctorCommand(invocation: Invocation): Promise<void> {
  const { runDoctor } = await import('../src/doctor/run-doctor.ts');
  await runDoctor(invocation);
}
