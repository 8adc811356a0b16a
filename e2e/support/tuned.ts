/**
 * Preloaded into a program (`node --import`). Overrides constants that no environment variable sets. TUNED: JSON with the configuration's
 * module and the values.
 */
const { module, values } = JSON.parse(process.env.TUNED!) as { module: string; values: object }
const { constants } = (await import(module)) as { constants: object }
Object.assign(constants, values)
