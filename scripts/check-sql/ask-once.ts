import type { Checker } from 'typescript/unstable/sync'

/** Caches a checker's results by method and single argument: every call is a round trip to another process. */
export function askOnce(checker: Checker): Checker {
  const results = new Map<string | symbol, Map<unknown, unknown>>()
  return new Proxy(checker, {
    get(_, name) {
      if (!results.has(name)) results.set(name, new Map())
      const known = results.get(name)!
      return (subject: never) => {
        if (!known.has(subject)) known.set(subject, checker[name as 'getTypeAtLocation'](subject))
        return known.get(subject)
      }
    },
  })
}
