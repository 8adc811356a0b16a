import { bbqrOf } from '@ordbook/bitcoin/bbqr.ts'
import { urOf } from '@ordbook/bitcoin/ur.ts'
import { encodeQR } from 'qr'
import { useEffect, useMemo, useState } from 'react'
import { Select } from '../ui/basics.tsx'

/** Capacity of a version 10-L QR code, which hardware wallets can still read. */
const CHARACTERS = 392
/** Slow enough for cameras, and below three flashes per second (WCAG 2.3.1). */
const CODE_MILLISECONDS = 400

const FORMATS = {
  bbqr: { write: bbqrOf, words: 'BBQr: Sparrow, Coldcard Q' },
  ur: { write: urOf, words: 'UR: Keystone, Jade, SeedSigner, Passport, Specter' },
}
type Format = keyof typeof FORMATS
const CHOICES = (Object.keys(FORMATS) as Format[]).map((each) => [each, FORMATS[each].words] as const)

export function PsbtCodes({ psbt }: { psbt: Uint8Array }) {
  const [format, setFormat] = useState<Format>('bbqr')
  const codes = useMemo(
    () =>
      FORMATS[format]
        .write(psbt, CHARACTERS)
        .map(
          (code) =>
            `data:image/svg+xml;utf8,${encodeURIComponent(encodeQR(code, 'svg', { ecc: 'low', encoding: 'alphanumeric', border: 4 }))}`,
        ),
    [psbt, format],
  )
  const [codeIndex, setCodeIndex] = useState(0)
  useEffect(() => {
    if (codes.length === 1) return
    const timer = setInterval(() => setCodeIndex((now) => (now + 1) % codes.length), CODE_MILLISECONDS)
    return () => clearInterval(timer)
  }, [codes])
  const n = codeIndex % codes.length
  return (
    <figure className="grid justify-items-center gap-2">
      <img
        className="w-96 max-w-full rounded-lg bg-white"
        alt={`QR code ${n + 1} of ${codes.length} of the PSBT`}
        src={codes[n]}
      />
      <figcaption className="text-sm text-soft">
        <label>
          {codes.length === 1 ? 'A single code' : `${codes.length} codes`}, as{' '}
          <Select inline options={CHOICES} value={format} onChange={setFormat} />
        </label>
      </figcaption>
    </figure>
  )
}
