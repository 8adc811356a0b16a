import { existsSync, statSync } from 'node:fs'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { assertIdentity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { byIndex } from '@ordbook/market/keys/by-index.ts'
import { findCheckpoint, isForgotten } from '@ordbook/market/keys/checkpoint-queries.ts'
import { openGuardian } from '@ordbook/market/keys/open-guardian.ts'
import { openSigner } from '@ordbook/market/keys/open-signer.ts'
import { addressesOf } from '@ordbook/process/address.ts'
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
const RESTORED = fault(
  'keys',
  'the database was restored from a backup without the journals',
  'Start signer, guardian and servers once with RESET_JOURNAL=on, which ends every order. Or restore again with --journals-kept.',
)

/** Checks that the market's keys match the database and their journals are complete. */
export const signerCheck: Check = {
  about: 'signer',
  mend: 'Start the signer (SIGNER_SOCKET), and check its log. Or restore cosign.key, coins.key and signer.journal from a backup.',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('signer', FIRST)]
    const checkpoint = await findCheckpoint(sql, 'signer journal')
    if (checkpoint && isForgotten(checkpoint)) return [RESTORED]
    const lacking = lackingSecret('signer', config)
    if (lacking) return [lacking]
    const link = linkOf(config, 'signer', 'server', SILENT)
    const signer = await openSigner(
      asItIs(config),
      { link, known: identity.marketKey, seen: checkpoint },
      () => {},
    )
    const { cosignKey, coinScript } = signer.keys
    assertIdentity(identity, { marketKey: bytesToHex(cosignKey), marketCoins: bytesToHex(coinScript) })
    const { cosign, coins } = keyFilesOf(config)
    return [
      ...answerOf('signer', link, [cosign, coins]),
      ...pairOf('signer', signer.isPaired()),
      ...endsOf(link),
    ]
  },
}

/** Checks the guardian's key and journal. */
export const guardianCheck: Check = {
  about: 'guardian',
  mend: 'Start the guardian (GUARDIAN_SOCKET), and check its log. Or restore guardian.key and guardian.journal from a backup.',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('guardian', FIRST)]
    const checkpoint = await findCheckpoint(sql, 'guardian journal')
    if (checkpoint && isForgotten(checkpoint)) return []
    const lacking = lackingSecret('guardian', config)
    if (lacking) return [lacking]
    const link = linkOf(config, 'guardian', 'server', SILENT)
    const expectedKey = identity.guardianKey
    const guardian = await openGuardian(asItIs(config), byIndex(sql), {
      link,
      known: expectedKey,
      seen: checkpoint,
    })
    assertIdentity(identity, { guardianKey: bytesToHex(guardian.key) })
    const findings = answerOf('guardian', link, [keyFilesOf(config).guardian])
    return [...findings, ...pairOf('guardian', guardian.isPaired()), ...endsOf(link), ...apartOf(config)]
  },
}

function pairOf(about: Holder, isPaired: boolean | null): Finding[] {
  if (isPaired !== false) return []
  return [
    warning(
      about,
      'no standby in the pair',
      'Start the other host, and check its log (docs/how-to/run-keys-on-other-hosts.md).',
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
  return fault(about, `${file} does not exist`, `Copy the secret that the ${about} created at its start.`)
}

function answerOf(about: Holder, link: Link | null, files: readonly string[]): Finding[] {
  if (link) return [ok(about, `reachable at ${link.place}, with the key of this database`)]
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  return open.length === 0
    ? [ok(about, 'keys and journal exist, and belong to this database')]
    : [fault(about, `other users can read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)]
}

/** Warns about certificates that expire soon. */
function endsOf(link: Link | null): Finding[] {
  return (link?.certificates() ?? [])
    .filter(({ endsAt }) => endsAt.getTime() - Date.now() < WARNING_DAYS * DAY_MILLISECONDS)
    .map(({ of, endsAt }) =>
      warning(
        'certificates',
        `the certificate of the ${of} for ${link!.place} expires at ${endsAt.toISOString()}`,
        'Renew it (docs/how-to/run-keys-on-other-hosts.md). No restart is needed.',
      ),
    )
}

function apartOf({ chain, signerSocket, guardianSocket }: Config): Finding[] {
  if (chain !== 'main' || (signerSocket !== null && guardianSocket !== null)) return []
  return [
    warning(
      'keys',
      'the server holds the keys: an attacker who controls it can sign',
      'Run signer and guardian as separate users (docs/how-to/manage-keys.md).',
    ),
  ]
}
