/**
 * Full-text search on SQLite: an FTS5 index of the words of `splitWords`. Its key is a number of its own, because SQLite
 * may renumber rows. The words of each row are also stored as text, so that a row can be checked alone.
 */

import type { Table } from '../../schema/table-schema.ts'
import { bindRaw, quoted, type SearchDialect, type SqlBuilder, type Statement } from '../../sql/sql-text.ts'

export const sqliteSearch: SearchDialect = {
  findWords(builder: SqlBuilder, table, before, words) {
    const [index, documents] = [quoted(indexName(table.name)), quoted(documentsName(table.name))]
    // Words have only letters, digits and marks, so they contain no quotation mark.
    const phrase = words.map((word) => `"${word}" *`).join(' AND ')
    const from = `${before}${index} s join ${documents} d on d."doc" = s."rowid"`
    const matching = `s.${index} match ${bindRaw(builder, phrase)}`
    // SQLite would evaluate `tick()` alone once for the first table, not for each match.
    return `select d."identity" from ${from} where ${matching} and case when s."rowid" then tick() end`
  },
  hasWords(builder: SqlBuilder, table, identity, words) {
    const tests = words.map((word) => `instr(d."words", ${bindRaw(builder, ` ${word}`)}) > 0`)
    const from = `${quoted(documentsName(table.name))} d where d."identity" = ${identity}`
    return `exists (select 1 from ${from} and ${tests.join(' and ')})`
  },
  octets: (table, identity) =>
    `(select octet_length(d."words") from ${quoted(documentsName(table.name))} d where d."identity" = ${identity})`,
  storeWords: (table, identity, words) => keepStatements(table, identity, words),
}

/** The tokenizer `ascii` splits only at our spaces: to it, every character beyond ASCII is a letter. */
export function createSearchSql({ name }: Table): readonly string[] {
  const [index, documents] = [quoted(indexName(name)), quoted(documentsName(name))]
  const identity = `"identity" text not null unique references ${quoted(name)} ("_identity") on delete cascade`
  return [
    `create virtual table ${index} using fts5("words", content='', contentless_delete=1, tokenize='ascii', detail=none)`,
    `create table ${documents} ("doc" integer primary key, ${identity}, "words" text not null)`,
    `create trigger ${quoted(`_forget:${name}`)} after delete on ${documents} begin delete from ${index} where rowid = old."doc"; end`,
  ]
}

/** Dropping a table drops its trigger. */
export function dropSearchSql(name: string): readonly string[] {
  return [`drop table ${quoted(documentsName(name))}`, `drop table ${quoted(indexName(name))}`]
}

function keepStatements({ name }: Table, identity: string, words: readonly string[]): readonly Statement[] {
  const [index, documents] = [quoted(indexName(name)), quoted(documentsName(name))]
  const doc = `(select "doc" from ${documents} where "identity" = ?)`
  return [
    {
      sql: `insert into ${documents} ("identity", "words") values (?, ?) on conflict ("identity") do update set "words" = excluded."words"`,
      values: [identity, words.map((word) => ` ${word}`).join('')],
    },
    {
      sql: `insert or replace into ${index} ("rowid", "words") values (${doc}, ?)`,
      values: [identity, words.join(' ')],
    },
  ]
}

function indexName(table: string): string {
  return `_search:${table}`
}

function documentsName(table: string): string {
  return `_documents:${table}`
}
