import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { keyFilesOf } from '@ordbook/signer/key-files.ts'
import type { Config } from '../config.ts'
import { assertIdentity } from '../db/identity.ts'
import { findMark, isForgotten } from '../db/marks.ts'
import { byIndex } from '../keys/by-index.ts'
import { openGuardian } from '../keys/open-guardian.ts'
import { openSigner } from '../keys/open-signer.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const FIRST = 'the database belongs to no market yet: the first start makes keys'
const RESTORED = fault(
  'keys',
  'the database was restored from a backup, and trusts no journal',
  'Start signer, guardian and servers once with NEW_JOURNAL=on, which ends every order; or restore again with --journals-kept',
)

/** The two keys of the market: those of the database, with a journal that lacks nothing. */
export const signerCheck: Check = {
  about: 'signer',
  mend: 'Start the signer (SIGNER_SOCKET), or put cosign.key, coins.key and signer.journal back from their backup',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('signer', FIRST)]
    const seen = await findMark(sql, 'signer journal')
    if (seen && isForgotten(seen)) return [RESTORED]
    const lacking = lackingSecret('signer', config.signerSocket, secretFile(config, 'signer'))
    if (lacking) return [lacking]
    const signer = await openSigner(asItIs(config), { known: identity.marketKey, seen }, () => {})
    const { cosignKey, coinScript } = signer.keys
    assertIdentity(identity, { marketKey: bytesToHex(cosignKey), marketCoins: bytesToHex(coinScript) })
    const { cosign, coins } = keyFilesOf(config)
    return answerOf('signer', config.signerSocket, [cosign, coins])
  },
}

/** The second key of collection offers, likewise. */
export const guardianCheck: Check = {
  about: 'guardian',
  mend: 'Start the guardian (GUARDIAN_SOCKET), or put guardian.key and guardian.journal back from their backup',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return [ok('guardian', FIRST)]
    const seen = await findMark(sql, 'guardian journal')
    if (seen && isForgotten(seen)) return []
    const lacking = lackingSecret('guardian', config.guardianSocket, secretFile(config, 'guardian'))
    if (lacking) return [lacking]
    const known = identity.guardianKey
    const guardian = await openGuardian(asItIs(config), byIndex(sql), { known, seen })
    assertIdentity(identity, { guardianKey: bytesToHex(guardian.key) })
    const own = answerOf('guardian', config.guardianSocket, [keyFilesOf(config).guardian])
    return [...own, ...apartOf(config)]
  },
}

/** No journal is begun by looking. */
const asItIs = (config: Config): Config => ({ ...config, newJournal: 'off' })

const secretFile = ({ dataDir, ...config }: Config, who: 'signer' | 'guardian') =>
  config[`${who}SecretFile`] ?? join(dataDir, `${who}.secret`)

/** A shared secret that is not here: opening would make one, which the other side does not know. */
function lackingSecret(about: string, socket: string | null, file: string): Finding | null {
  if (socket === null || existsSync(file)) return null
  return fault(about, `found no ${file}`, `Copy the secret that the ${about} made at its start`)
}

function answerOf(about: string, socket: string | null, files: readonly string[]): Finding[] {
  if (socket !== null) return [ok(about, `answers at ${socket}, with the key of this database`)]
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  return open.length === 0
    ? [ok(about, 'keys and journal are here, and belong to this database')]
    : [fault(about, `other users may read ${open.join(', ')}`, `chmod 600 ${open.join(' ')}`)]
}

function apartOf({ chain, signerSocket, guardianSocket }: Config): Finding[] {
  if (chain !== 'main' || (signerSocket !== null && guardianSocket !== null)) return []
  return [
    warning(
      'keys',
      'the server holds keys of its own: an attacker who gets into it can sign',
      'Run signer and guardian as processes of other users (docs/guides/operating.md)',
    ),
  ]
}
