import { extname, join } from 'node:path'

/** The programs of a market: by the names of their modules in a bundle (scripts/bundle.ts), their modules in a checkout. */
export const PROGRAMS = {
  start: 'scripts/start.ts',
  'demo-trade': 'scripts/demo-trade.ts',
  'demo-token': 'scripts/demo-token.ts',
  'demo-node': 'scripts/demo-node.ts',
  operate: 'scripts/operate.ts',
  import: 'scripts/import-collections.ts',
  doctor: 'scripts/doctor.ts',
  backup: 'scripts/backup.ts',
  restore: 'scripts/restore.ts',
  upgrade: 'scripts/upgrade.ts',
  keys: 'scripts/keys.ts',
  'order-log': 'scripts/order-log.ts',
  server: 'server/app/src/main.ts',
  signer: 'signer-host/src/main.ts',
  guardian: 'signer-host/src/guardian/main.ts',
  previews: 'previews/src/main.ts',
  devnet: 'devnet/src/main.ts',
}
export type Program = keyof typeof PROGRAMS

/** Whether this code runs from a bundle, whose modules all lie in one folder; else it runs from a checkout. */
export const isBundle = extname(import.meta.filename) === '.js'

/** The module of a program. */
export const fileOf = (program: Program): string =>
  isBundle
    ? join(import.meta.dirname, `${program}.js`)
    : join(import.meta.dirname, '../..', PROGRAMS[program])

/** An operator's command as it is typed here: in a checkout by npm, else as `ordbook market`, under `npx` where that runs it. */
export function typed(command: string): string {
  const inCheckout = command === 'start' ? 'npm start' : `npm run ${command}`
  return isBundle ? asInBundle(inCheckout) : inCheckout
}

/** A text that names an operator's commands as npm runs them in a checkout, with their names in a bundle. */
export function asInBundle(text: string, isNpx = process.env.npm_command === 'exec'): string {
  const market = `${isNpx ? 'npx ' : ''}ordbook market`
  return (
    text
      // The commands of `npm run operate` are commands of `ordbook market`.
      .replaceAll(/npm run operate\b/g, market)
      .replaceAll(/npm (?:run |(?=start\b))/g, `${market} `)
      .replaceAll(/ (\[?)-- /g, ' $1')
  )
}
