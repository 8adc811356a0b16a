import { expect, it } from 'vitest'
import { jsonListOf, jsonOf, RawJson, withMembers } from './raw-json.ts'

interface Row {
  id: string
  traits: string[]
}
const row = jsonOf<Row>({ id: '"\n', traits: new RawJson('["Cap"]') })

it('jsonOf embeds raw JSON', () => {
  expect(JSON.parse(row.text)).toEqual({ id: '"\n', traits: ['Cap'] })
  expect(jsonOf<{ traits: string[] }>({ traits: new RawJson('[]') }).text).toBe('{"traits":[]}')
  expect(jsonOf<object>({}).text).toBe('{}')
})

it('withMembers adds fields to raw JSON', () => {
  const more = withMembers(row, { name: 'a"b\nc\u0001', rank: null })
  expect(more.text).toContain(row.text.slice(1, -1))
  expect(JSON.parse(more.text)).toEqual({ id: '"\n', traits: ['Cap'], name: 'a"b\nc\u0001', rank: null })
  expect(withMembers(row, jsonOf<{ rank: number }>({ rank: 1 })).text).toBe(
    withMembers(row, { rank: 1 }).text,
  )
})

it('jsonListOf joins raw JSON rows', () => {
  expect(jsonListOf([row, row]).text).toBe(`[${row.text},${row.text}]`)
  expect(jsonListOf<Row>('').text).toBe('[]')
})
