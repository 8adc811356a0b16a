import type { LangDict } from './default'

export default {} satisfies Record<string, LangDict>
