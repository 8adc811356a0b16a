import { existsSync, statSync } from 'node:fs'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { assertIdentity } from '@ordbook/db/schema/identity.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { byIndex } from '@ordbook/market/keys/by-index.ts'
import { findCheckpoint, isForgotten } from '@ordbook/market/keys/checkpoint-queries.ts'
import { openGuardian } from '@ordbook/market/keys/open-guardian.ts'
import { openSigner } from '@ordbook/market/keys/open-signer.ts'
import { addressesOf } from '@ordbook/process/address.ts'
import { guide } from '@ordbook/process/guide.ts'
import { JournalError } from '@ordbook/signer/checkpoint.ts'
import type { Holder, Link } from '@ordbook/signer/link.ts'
import { keyFilesOf, sharedSecretFile } from '@ordbook/signer-host/key-files.ts'
import { linkOf } from '@ordbook/signer-host/link-of.ts'
import { pino } from 'pino'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const SILENT = pino({ level: 'silent' })
/** Warn if a certificate expires within this many days. */
const WARNING_DAYS = 14
const DAY_MILLISECONDS = 86_400_000
const FIRST = 'the database is new: the first start creates the keys'
const AS_SERVER = `Run doctor as the user of the server and with its groups (${guide('docs/how-to/install.md')}).`
const RENEW = `Renew it (${guide('docs/how-to/run-keys-on-other-hosts.md')}). No restart is needed.`
const RESTORED = fault(
  'journals-reset',
  'the database was restored from a backup without the journals',
  'Start signer, guardian and servers once with RESET_JOURNAL=on, which ends every order. Or restore again with --journals-kept.',
)

/** Checks that the market's keys match the database and their journals are complete. */
export const signerCheck: Check = {
  failure: 'signer-down',
  mend: 'Start the signer (SIGNER_SOCKET), and check its log.',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('signer', FIRST)]
    const checkpoint = await findCheckpoint(sql, 'signer journal')
    if (checkpoint && isForgotten(checkpoint)) return [RESTORED]
    return examineHolder('signer', config, async (link) => {
      const signer = await openSigner(
        asItIs(config),
        { link, known: identity.marketKey, seen: checkpoint },
        () => {},
      )
      const { cosignKey, coinScript } = signer.keys
      assertIdentity(identity, { marketKey: bytesToHex(cosignKey), marketCoins: bytesToHex(coinScript) })
      const { cosign, coins } = keyFilesOf(config)
      return [...answerOf('signer', link, [cosign, coins]), ...pairOf('signer', signer.isPaired())]
    })
  },
}

/** Checks the guardian's key and journal. */
export const guardianCheck: Check = {
  failure: 'guardian-down',
  mend: 'Start the guardian (GUARDIAN_SOCKET), and check its log.',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('guardian', FIRST)]
    const checkpoint = await findCheckpoint(sql, 'guardian journal')
    if (checkpoint && isForgotten(checkpoint)) return []
    const expectedKey = identity.guardianKey
    const findings = await examineHolder('guardian', config, async (link) => {
      const guardian = await openGuardian(asItIs(config), byIndex(sql), {
        link,
        known: expectedKey,
        seen: checkpoint,
      })
      assertIdentity(identity, { guardianKey: bytesToHex(guardian.key) })
      return [
        ...answerOf('guardian', link, [keyFilesOf(config).guardian]),
        ...pairOf('guardian', guardian.isPaired()),
      ]
    })
    return [...findings, ...apartOf(config)]
  },
}

/** Opens the keys of a holder. Reports known errors as their faults and rethrows others. */
async function examineHolder(
  holder: Holder,
  config: Config,
  open: (link: Link | null) => Promise<Finding[]>,
): Promise<Finding[]> {
  const lacking = lackingSecret(holder, config)
  if (lacking) return [lacking]
  let link: Link | null
  try {
    link = linkOf(config, holder, 'server', SILENT)
  } catch (error) {
    if (isDenied(error)) return [fault(`${holder}-down`, (error as Error).message, AS_SERVER)]
    if (!(error instanceof ConfigError)) throw error
    return [fault('certificate-expired', error.message, RENEW)]
  }
  try {
    return [...(await open(link)), ...endsOf(link)]
  } catch (error) {
    const causes = causesOf(error)
    const reason = causes.at(-1)!.message
    if (causes.some(isDenied)) return [fault(`${holder}-down`, reason, AS_SERVER)]
    if (causes.some(isOfCertificate)) return [fault('certificate-expired', reason, RENEW)]
    if (link && causes.some(isOfSecret)) {
      const file = sharedSecretFile(config, holder)
      return [
        fault(
          `${holder}-secret`,
          `the ${holder} at ${link.place} has another secret than ${file}`,
          `Copy ${holder}.secret of the ${holder} to ${file} (${holder.toUpperCase()}_SECRET_FILE).`,
        ),
      ]
    }
    const files = holder === 'signer' ? 'cosign.key and coins.key' : 'guardian.key'
    if (causes.some((cause) => cause instanceof JournalError || /journal/.test(cause.message)))
      return [
        fault(
          `${holder}-journal`,
          reason,
          `Restore the newest ${holder}.journal (${guide('docs/how-to/back-up-and-restore.md')}).`,
        ),
      ]
    if (causes.some((cause) => cause instanceof ConfigError))
      return [
        fault(
          `${holder}-keys`,
          reason,
          `Restore ${files} from a backup (${guide('docs/how-to/back-up-and-restore.md')}).`,
        ),
      ]
    throw error
  }
}

/** Returns an error and its causes, the outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause)
    causes.push(cause)
  return causes
}

/** A TLS server with another pre-shared key cannot decrypt the first message. */
const isOfSecret = ({ message }: Error) =>
  /bad record mac|decrypt(ion)?[ _](error|failed)|unknown psk identity/i.test(message)

const isDenied = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EACCES'

const isOfCertificate = (error: Error) =>
  /certificate|expected the name/i.test(`${(error as NodeJS.ErrnoException).code} ${error.message}`)

function pairOf(about: Holder, isPaired: boolean | null): Finding[] {
  if (isPaired !== false) return []
  return [
    warning(
      `${about}-alone`,
      'no standby in the pair',
      `Start the other host, and check its log (${guide('docs/how-to/run-keys-on-other-hosts.md')}).`,
    ),
  ]
}

/** The check must not create a new journal. */
const asItIs = (config: Config): Config => ({ ...config, resetJournal: 'off' })

/** Opening the link would create a missing secret, which the other side does not have. */
function lackingSecret(about: Holder, config: Config): Finding | null {
  const socket = config[`${about}Socket`]
  const file = sharedSecretFile(config, about)
  if (socket === null || addressesOf(socket) || existsSync(file)) return null
  return fault(
    `${about}-secret`,
    `${file} does not exist`,
    `Copy the secret that the ${about} created at its start, and set ${about.toUpperCase()}_SECRET_FILE if it is elsewhere.`,
  )
}

function answerOf(about: Holder, link: Link | null, files: readonly string[]): Finding[] {
  if (link) return [ok(about, `reachable at ${link.place}, with the key of this database`)]
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  return open.length === 0
    ? [ok(about, 'keys and journal exist, and belong to this database')]
    : [fault('keys-readable', `other users can read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)]
}

/** Warns about certificates that expire soon. */
function endsOf(link: Link | null): Finding[] {
  return (link?.certificates() ?? [])
    .filter(({ endsAt }) => endsAt.getTime() - Date.now() < WARNING_DAYS * DAY_MILLISECONDS)
    .map(({ of, endsAt }) =>
      warning(
        'certificate-expires',
        `the certificate of the ${of} for ${link!.place} expires at ${endsAt.toISOString()}`,
        RENEW,
      ),
    )
}

function apartOf({ chain, signerSocket, guardianSocket }: Config): Finding[] {
  if (chain !== 'main' || (signerSocket !== null && guardianSocket !== null)) return []
  return [
    warning(
      'keys-in-server',
      'the server holds the keys: an attacker who controls it can sign',
      `Run signer and guardian as separate users (${guide('docs/how-to/manage-keys.md')}).`,
    ),
  ]
}
