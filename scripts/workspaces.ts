import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** Folders of the packages by their name without `@ordbook/`, such as `server/db` for `db`. Without `cli`. */
export const WORKSPACES: ReadonlyMap<string, string> = new Map(
  (read('package.json').workspaces as string[])
    .map((folder) => [read(`${folder}/package.json`).name.replace('@ordbook/', ''), folder] as const)
    .filter(([, folder]) => folder !== 'cli'),
)
