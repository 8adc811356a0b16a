import type { Plugin } from 'vite'

/** Writes each page's code files to `pages.json`. The server preloads them. */
export function pageFiles(): Plugin {
  return {
    name: 'page-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk')
      const importsOf = (name: string): string[] =>
        chunks.find((chunk) => chunk.fileName === name)?.imports ?? []
      const closure = (start: readonly string[]): Set<string> => {
        const all = new Set(start)
        for (const name of all) for (const each of importsOf(name)) all.add(each)
        return all
      }
      const first = closure(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName))
      const pages = chunks.flatMap((chunk) => {
        const [, page] = /\/src\/pages\/[\w-]+\/([\w-]+)\.tsx$/.exec(chunk.facadeModuleId ?? '') ?? []
        if (!page || !chunk.isDynamicEntry) return []
        const files = [...closure([chunk.fileName])].filter((each) => !first.has(each))
        return [[page, files.map((file) => `/${file}`)] as const]
      })
      this.emitFile({
        type: 'asset',
        fileName: 'pages.json',
        source: JSON.stringify(Object.fromEntries(pages)),
      })
    },
  }
}
