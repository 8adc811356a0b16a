import type { Checker } from 'typescript/unstable/sync'

/** Caches a checker's results by method and single argument, because each call is a round trip to another process. */
export function askOnce(checker: Checker): Checker {
  const results = new Map<string | symbol, Map<unknown, unknown>>()
  return new Proxy(checker, {
    get(_, name) {
      if (!results.has(name)) results.set(name, new Map())
      const cached = results.get(name)!
      return (subject: never) => {
        if (!cached.has(subject)) cached.set(subject, checker[name as 'getTypeAtLocation'](subject))
        return cached.get(subject)
      }
    },
  })
}
