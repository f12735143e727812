export { REMOTE_KINDS } from './config-job.ts';
export { listRoot, withDraft, wizardWorks } from './wizard/wizard-works.ts';
