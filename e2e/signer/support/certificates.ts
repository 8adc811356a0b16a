import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf } from '../../../scripts/links/samples.ts'

const GUIDE = join(import.meta.dirname, '../../../docs/how-to/run-keys-on-other-hosts.md')
/** Commands from the guide. The first creates a certificate authority, the second its three certificates. */
const [AUTHORITY, CERTIFICATES] = blocksOf(readFileSync(GUIDE, 'utf8'))
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text) as [string, string]

type Side = 'server' | 'signer' | 'guardian'

/** A certificate authority in a temporary directory, created as in the guide. */
export class TestAuthority {
  readonly folder = mkdtempSync(join(tmpdir(), 'ordbook-certificates-'))

  /** `twin` copies an authority and issues certificates valid for `days`. */
  constructor(twin?: { of: TestAuthority; days: number }) {
    if (twin) cpSync(twin.of.folder, this.folder, { recursive: true })
    else this.run(AUTHORITY)
    this.renew(twin?.days)
  }

  /** Issues all three certificates again. Default: the guide's validity. */
  renew(days?: number): void {
    this.run(days === undefined ? CERTIFICATES : CERTIFICATES.replace(/-days \d+/, `-days ${days}`))
  }

  file(name: string): string {
    return join(this.folder, 'certificates', name)
  }

  settings(side: Side) {
    return {
      TLS_CERTIFICATE_FILE: this.file(`ordbook-${side}.crt`),
      TLS_KEY_FILE: this.file(`ordbook-${side}.key`),
      TLS_AUTHORITY_FILE: this.file('authority.crt'),
    }
  }

  texts(side: Side) {
    const { TLS_CERTIFICATE_FILE: cert, TLS_KEY_FILE: key, TLS_AUTHORITY_FILE: ca } = this.settings(side)
    return { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  private run(commands: string): void {
    execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { cwd: this.folder, stdio: 'pipe' })
  }
}
