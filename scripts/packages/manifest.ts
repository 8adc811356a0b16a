export interface Manifest {
  private?: boolean
  exports: Record<string, string>
  [member: string]: unknown
}

/** Returns the package.json of a published package. Exports point to compiled files; `.ts` exports are removed. */
export function publishedManifest({ private: _, exports, ...rest }: Manifest): Record<string, unknown> {
  const entries = Object.entries(exports).filter(([name]) => !name.endsWith('.ts'))
  return {
    ...rest,
    exports: Object.fromEntries(
      entries.map(([name, path]) => {
        const compiled = compiledOf(path)
        return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }]
      }),
    ),
    files: ['dist'],
    engines: { node: '>=20.11' },
    publishConfig: { access: 'public' },
  }
}

const compiledOf = (path: string) => path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '')
