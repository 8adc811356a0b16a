import { join } from 'node:path'

/** Folder that contains `docs`: the bundle, or null in a checkout, where commands are run at the root. */
const BUNDLE = import.meta.filename.endsWith('.ts') ? null : join(import.meta.dirname, '..')

/** Returns where the reader finds a page of the documentation, as in `docs/how-to/monitor.md`. */
export const guide = (page: `docs/${string}`): string => (BUNDLE === null ? page : join(BUNDLE, page))
