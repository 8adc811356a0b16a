/**
 * Preloaded into a program (`node --import`): sets constants of its configuration, which no variable sets.
 *
 * TUNED: the module of the configuration, and its values.
 */
const { module, values } = JSON.parse(process.env.TUNED!) as { module: string; values: object }
const { constants } = (await import(module)) as { constants: object }
Object.assign(constants, values)
