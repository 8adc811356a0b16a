import type { LangDict } from './default'

/** The texts in other languages; none yet. */
export default {} satisfies Record<string, LangDict>
