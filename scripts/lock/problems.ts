export interface Lock {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>
}

/** Libraries that fail if a page loads two copies. */
const SINGLE = ['preact', 'react', 'react-dom']

/** Reports several copies of libraries that a page must load once. */
export function checkCopies({ packages }: Lock): string[] {
  return SINGLE.flatMap((name) => {
    const places = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`))
    return places.length > 1 ? [`package-lock.json: ${name} has several copies: ${places.join(', ')}`] : []
  })
}

/**
 * Reports optional packages without an entry in the lock file. npm silently omits packages that its registry temporarily lacks; then `npm
 * ci` fails, or a package is missing on other platforms.
 */
export function checkLock({ packages }: Lock): string[] {
  const has = (path: string) => packages[path]?.version !== undefined
  return Object.entries(packages).flatMap(([holder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !placesOf(holder, name).some(has))
      .map((name) => `package-lock.json: ${name}, optional for ${holder || 'the root'}, has no entry`),
  )
}

/** Returns the paths at which Node looks for a dependency of a package, nearest first. */
function placesOf(holder: string, name: string): string[] {
  const parts = holder.split('/')
  return parts
    .map((_, length) => [...parts.slice(0, parts.length - length), 'node_modules', name].join('/'))
    .concat(`node_modules/${name}`)
}
