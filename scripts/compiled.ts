import { join } from 'node:path'

/** Folder in which Node keeps compiled modules (`NODE_COMPILE_CACHE`). */
export const COMPILED = join(import.meta.dirname, '../node_modules/.cache/compiled')
