import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UrReader, urOf } from './ur.ts'

const bytes = Uint8Array.from({ length: 400 }, (_, i) => [0x70, 0x73, 0x62, 0x74, 0xff][i] ?? i % 11)

/** Combined parts encoded with @ngraveio/bc-ur 1.1.13. */
const MIXED = `
ur:crypto-psbt/10-9/lpbkascfadmucydrdnaeeyhddpbsbnaoaxbnbtambnbtahbkbsbnaoaxbnbtambnbtahbkbsbnaoaxbnbtambnbtahbkbsbnaoaxbnbtambnbtahbkbsfmtpehlp
ur:crypto-psbt/11-9/lpbdascfadmucydrdnaeeyhddphkadmhjojkidjyzmahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamataynljednke
ur:crypto-psbt/12-9/lpbnascfadmucydrdnaeeyhddpasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasiyvdeybw
ur:crypto-psbt/13-9/lpbtascfadmucydrdnaeeyhddpaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaemulsihbk
ur:crypto-psbt/14-9/lpbaascfadmucydrdnaeeyhddpaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaobzmwspox
ur:crypto-psbt/15-9/lpbsascfadmucydrdnaeeyhddphybkmsjoknhnlbwtbaasbnbsaobtaeayaeaybdbaasbnbsaobtaeayaeaybdbaasbnbsaobtaeayaeaybdbaasbnbscwcsrleh
ur:crypto-psbt/16-9/lpbeascfadmucydrdnaeeyhddpaxahatahaxbtbsbtayayayaxahatahaxbtbsbtayayayaxahatahaxbtbsbtayayayaxahatahaxbtbsbtayayayaxrdeymode
ur:crypto-psbt/17-9/lpbyascfadmucydrdnaeeyhddphpbnmhksjkimlbwnbnbkaybkaabkayadbkaybkbnbkaybkaabkayadbkaybkbnbkaybkaabkayadbkaybkbnbkbnbsbaclvlws
ur:crypto-psbt/18-9/lpbgascfadmucydrdnaeeyhddpaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaovlreeybz
ur:crypto-psbt/19-9/lpbwascfadmucydrdnaeeyhddphfaxmtkbkkhnjswkbdbsaxatbdbnbabdaeambsbdbsaxatbdbnbabdaeambsbdbsaxatbdbnbabdaeambsbdbsataokomuylmt
ur:crypto-psbt/20-9/lpbbascfadmucydrdnaeeyhddpahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaeaebwdwrtgr
ur:crypto-psbt/21-9/lpbzascfadmucydrdnaeeyhddpamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoaoaxsfrfsntp
ur:crypto-psbt/22-9/lpcmascfadmucydrdnaeeyhddpaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaedmynnblt
ur:crypto-psbt/23-9/lpchascfadmucydrdnaeeyhddpbkaaadamaxayahbkbnbkaebkaaadamaxayahbkbnbkaebkaaadamaxayahbkbnbkaebkaaadamaxayahbkbnbkaebkfpoytadw
ur:crypto-psbt/24-9/lpcscsascfadmucydrdnaeeyhddpbdbtaaaeaaaybnaeatahaebdbtaaaeaaaybnaeatahaebdbtaaaeaaaybnaeatahaebdbtaaaeaaaybnaeatahaebdmyiahect
ur:crypto-psbt/25-9/lpcscfascfadmucydrdnaeeyhddpasbsaoamambkaobaahbnbdasbsaoamambkaobaahbnbdasbsaoamambkaobaahbnbdasbsaoamambkaobaahbnbdasetclhfkk
ur:crypto-psbt/26-9/lpcscyascfadmucydrdnaeeyhddpaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaatbdlhtet
ur:crypto-psbt/27-9/lpcscwascfadmucydrdnaeeyhddpaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeadaoaxaaahamatayasbkaeqzjtjkeo
ur:crypto-psbt/28-9/lpcsceascfadmucydrdnaeeyhddpaeaaaeaaaebnaebnbdaoasaeaaaeaaaebnaebnbdaoasaeaaaeaaaebnaebnbdaoasaeaaaeaaaebnaebnbdaoasaejsdwlngu
ur:crypto-psbt/29-9/lpcscaascfadmucydrdnaeeyhddpgdbdmhkkjshskgwkadaxaoadaxbkasaxadbnbsadaxaoadaxbkasaxadbnbsadaxaoadaxbkasaxadbnbsadaxamaasrvsgazs
ur:crypto-psbt/30-9/lpcsckascfadmucydrdnaeeyhddpaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaoamamaoaobabaaoasbdaoaowsmeytnl
`
  .trim()
  .split('\n')

describe('Uniform Resources', () => {
  it('decodes fragments from another implementation', async () => {
    for (const codes of [MIXED, MIXED.map((code) => code.toUpperCase()).toReversed()]) {
      const reader = new UrReader()
      for (const code of codes) expect(reader.take(code)).toBe(true)
      expect([reader.seen, reader.count]).toEqual([9, 9])
      expect(await reader.bytes()).toEqual(bytes)
    }
  })

  it('encodes a small PSBT as one code', async () => {
    const [code, ...more] = urOf(bytes.subarray(0, 20), 200)
    expect(more).toEqual([])
    expect(code).toMatch(/^UR:CRYPTO-PSBT\/[A-Z]+$/)
    const reader = new UrReader()
    expect(reader.take(code!)).toBe(true)
    expect(await reader.bytes()).toEqual(bytes.subarray(0, 20))
    expect(() => urOf(bytes, 20)).toThrow(RangeError)
  })

  it('decodes fragments in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 900 }),
        fc.integer({ min: 100, max: 400 }),
        fc.infiniteStream(fc.nat()),
        async (psbt, mostCharacters, order) => {
          const codes = urOf(psbt, mostCharacters)
          for (const code of codes) expect(code).toMatch(/^[A-Z0-9:/-]+$/)
          expect(Math.max(...codes.map((code) => code.length))).toBeLessThanOrEqual(mostCharacters)
          const reader = new UrReader()
          for (const left = [...codes]; left.length > 0; ) {
            expect(reader.take(left.splice(order.next().value! % left.length, 1)[0]!)).toBe(true)
            expect(await reader.bytes()).toEqual(reader.seen < reader.count ? null : psbt)
          }
          expect(reader.seen).toBe(reader.count)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('rejects other codes', async () => {
    const reader = new UrReader()
    const [first] = urOf(bytes, 120)
    for (const other of ['', 'B$2P0100OBZWE5H7', 'ur:crypto-psbt/abc', first!.slice(0, -2), `${first!}AE`])
      expect(reader.take(other), other).toBe(false)
    expect(reader.take(first!.replace('CRYPTO-PSBT', 'CRYPTO-ACCOUNT'))).toBe(false)
    expect(await reader.bytes()).toBeNull()
    // A code of another series resets the reader.
    reader.take(first!)
    reader.take(urOf(bytes.toReversed(), 120)[1]!)
    expect(reader.seen).toBe(1)
  })

  it('returns false for invalid input', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(99), (texts, number) => {
        const reader = new UrReader()
        for (const text of texts) expect(reader.take(`ur:crypto-psbt/${number}-9/${text}`)).toBe(false)
      }),
    )
  })
})
