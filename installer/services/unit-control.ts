/**
 * What there is to start services with: a systemd that runs, the files of a system that does not run (`--root`), or
 * nothing.
 */
export type ServiceKind = 'running' | 'image' | 'none';

/** What systemd says of a service. */
export type ServiceState = 'active' | 'activating' | 'failed' | 'inactive';

/** The service manager. Every call rejects with a `SyncerError` that says what it would not do. */
export interface ServiceControl {
  readonly kind: ServiceKind;
  reload(): Promise<void>;
  start(units: readonly string[]): Promise<void>;
  stop(units: readonly string[]): Promise<void>;
  restart(unit: string): Promise<void>;
  enable(units: readonly string[]): Promise<void>;
  disable(units: readonly string[]): Promise<void>;
  state(unit: string): Promise<ServiceState>;
}
