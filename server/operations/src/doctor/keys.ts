import { existsSync, statSync } from 'node:fs'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { assertIdentity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { byIndex } from '@ordbook/market/keys/by-index.ts'
import { findMark, isForgotten } from '@ordbook/market/keys/checkpoint-queries.ts'
import { openGuardian } from '@ordbook/market/keys/open-guardian.ts'
import { openSigner } from '@ordbook/market/keys/open-signer.ts'
import { addressesOf } from '@ordbook/process/address.ts'
import type { Holder, Link } from '@ordbook/signer/link.ts'
import { keyFilesOf, sharedSecretFile } from '@ordbook/signer-host/key-files.ts'
import { linkOf } from '@ordbook/signer-host/link-of.ts'
import { pino } from 'pino'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const SILENT = pino({ level: 'silent' })
/** A certificate that expires sooner is worth a warning. */
const WARNING_DAYS = 14
const DAY_MILLISECONDS = 86_400_000
const FIRST = 'the database belongs to no market yet: the first start makes keys'
const RESTORED = fault(
  'keys',
  'the database was restored from a backup, and trusts no journal',
  'Start signer, guardian and servers once with RESET_JOURNAL=on, which ends every order; or restore again with --journals-kept',
)

/** Checks the market's two keys: they must match the database, and their journals must be complete. */
export const signerCheck: Check = {
  about: 'signer',
  mend: 'Start the signer (SIGNER_SOCKET), and check its log, or put cosign.key, coins.key and signer.journal back from their backup',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('signer', FIRST)]
    const seen = await findMark(sql, 'signer journal')
    if (seen && isForgotten(seen)) return [RESTORED]
    const lacking = lackingSecret('signer', config)
    if (lacking) return [lacking]
    const link = linkOf(config, 'signer', 'server', SILENT)
    const signer = await openSigner(asItIs(config), { link, known: identity.marketKey, seen }, () => {})
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

/** The second key of collection offers, likewise. */
export const guardianCheck: Check = {
  about: 'guardian',
  mend: 'Start the guardian (GUARDIAN_SOCKET), and check its log, or put guardian.key and guardian.journal back from their backup',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('guardian', FIRST)]
    const seen = await findMark(sql, 'guardian journal')
    if (seen && isForgotten(seen)) return []
    const lacking = lackingSecret('guardian', config)
    if (lacking) return [lacking]
    const link = linkOf(config, 'guardian', 'server', SILENT)
    const known = identity.guardianKey
    const guardian = await openGuardian(asItIs(config), byIndex(sql), { link, known, seen })
    assertIdentity(identity, { guardianKey: bytesToHex(guardian.key) })
    const own = answerOf('guardian', link, [keyFilesOf(config).guardian])
    return [...own, ...pairOf('guardian', guardian.isPaired()), ...endsOf(link), ...apartOf(config)]
  },
}

function pairOf(about: Holder, isPaired: boolean | null): Finding[] {
  if (isPaired !== false) return []
  return [
    warning(
      about,
      'no standby in the pair',
      'Start the other host, and see its log (docs/how-to/run-keys-on-other-hosts.md)',
    ),
  ]
}

/** No journal is begun by looking. */
const asItIs = (config: Config): Config => ({ ...config, resetJournal: 'off' })

/** A shared secret that is not here: opening would make one, which the other side does not know. */
function lackingSecret(about: Holder, config: Config): Finding | null {
  const socket = config[`${about}Socket`]
  const file = sharedSecretFile(config, about)
  if (socket === null || addressesOf(socket) || existsSync(file)) return null
  return fault(about, `found no ${file}`, `Copy the secret that the ${about} made at its start`)
}

function answerOf(about: Holder, link: Link | null, files: readonly string[]): Finding[] {
  if (link) return [ok(about, `answers at ${link.place}, with the key of this database`)]
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  return open.length === 0
    ? [ok(about, 'keys and journal are here, and belong to this database')]
    : [fault(about, `other users may read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)]
}

/** Certificates that expire soon. Each link reports the server's certificate. */
function endsOf(link: Link | null): Finding[] {
  return (link?.certificates() ?? [])
    .filter(({ endsAt }) => endsAt.getTime() - Date.now() < WARNING_DAYS * DAY_MILLISECONDS)
    .map(({ of, endsAt }) =>
      warning(
        'certificates',
        `for ${link!.place}, the certificate of the ${of} expires at ${endsAt.toISOString()}`,
        'Renew it (docs/how-to/run-keys-on-other-hosts.md): no restart is needed',
      ),
    )
}

function apartOf({ chain, signerSocket, guardianSocket }: Config): Finding[] {
  if (chain !== 'main' || (signerSocket !== null && guardianSocket !== null)) return []
  return [
    warning(
      'keys',
      'the server holds the keys: an attacker who controls it can sign',
      'Run signer and guardian as processes of other users (docs/how-to/manage-keys.md)',
    ),
  ]
}
