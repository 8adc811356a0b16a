import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Compressing smaller files saves no packet. */
const MIN_BYTES = 1024
const TEXTS = new Set(['.js', '.css', '.svg'])
const FORMS = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) }

/** Writes .br and .gz files next to text files at build time. */
export function precompress(): Plugin {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir)
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      await Promise.all(
        entries
          .filter((each) => TEXTS.has(extname(each.name)))
          .map((each) => compressFile(join(each.parentPath, each.name))),
      )
    },
  }
}

async function compressFile(path: string): Promise<void> {
  const body = await readFile(path)
  if (body.length < MIN_BYTES) return
  for (const [ending, compress] of Object.entries(FORMS))
    await writeFile(`${path}${ending}`, await compress(body))
}
