import type { LangDict } from './default'

/** Translations; none yet. */
export default {} satisfies Record<string, LangDict>
