import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { programsIn } from './programs.ts'

const work = mkdtempSync(join(tmpdir(), 'ordbook-programs-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const elf = (machine: number) => {
  const head = Buffer.alloc(64)
  head.write('\x7fELF', 'latin1')
  head.writeUInt16LE(machine, 18)
  return head
}

it('programsIn finds binaries for another architecture', () => {
  mkdirSync(join(work, 'lib'))
  const [own, other] = [join(work, 'node'), join(work, 'lib', 'libvips.so')]
  writeFileSync(own, elf(0xb7))
  writeFileSync(other, elf(0x3e))
  writeFileSync(join(work, 'a text'), 'not a program, though long enough')
  writeFileSync(join(work, 'short'), '\x7fELF', 'latin1')
  expect(programsIn(work, 'arm64').all.toSorted()).toEqual([own, other].toSorted())
  expect(programsIn(work, 'arm64').strange).toEqual([other])
  expect(programsIn(work, 'amd64').strange).toEqual([own])
})
