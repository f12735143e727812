export { REMOTE_KINDS } from './remote-kinds.ts';
export { listRoot } from './wizard/list-root.ts';
export { withDraft } from './wizard/open-draft.ts';
export { wizardWorks } from './wizard/wizard-works.ts';
