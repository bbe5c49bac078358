/** Languages of HTML pages: negotiation, header fields, and the dictionary of a definition. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { matchMessage, parseMessage } from '../../src/definition/languages/message.ts'
import { createLanguage } from '../../src/html/languages/language.ts'
import { negotiateLanguage } from '../../src/http/accept-language.ts'
import { anyone, choice, integer, resource, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { serve, type TestService } from '../service.ts'

const all = { read: anyone, create: anyone, update: anyone, delete: anyone }
const books = resource(
  {
    title: text({ min: 1, max: 50 }).help('As on the cover.'),
    pages: integer({ min: 1 }).optional(),
    form: choice(['paper', 'digital']).default('paper'),
  },
  { access: all, cache: { maxAge: 60 } },
)
const languages = {
  de: {
    book: 'Buch',
    books: 'Bücher',
    Title: 'Titel',
    Paper: 'Papier',
    'As on the cover.': 'Wie auf dem Umschlag.',
  },
  pl: {
    books: { one: 'książka', few: 'książki', many: 'książek', other: 'książki' },
    'New {1}': 'Nowy: {1} <b>',
  },
  ar: { Edit: 'تحرير' },
}
const library = service({ title: 'Library', languages, resources: { books } })

let running: TestService
before(async () => {
  running = await serve(library)
})
after(() => running[Symbol.asyncDispose]())

const page = (language: string) => ({ accept: 'text/html', 'accept-language': language })
const json = { 'content-type': 'application/json' }

test('RFC 4647 §3.4: a range is shortened until a language matches; the order is by weight', () => {
  const offers = ['en', 'de', 'pt-BR', 'zh']
  const expected = [
    ['de-AT', 'de'],
    ['de-AT, en;q=0.5', 'de'],
    ['en;q=0.5, de', 'de'],
    ['fr, DE;q=0.2', 'de'],
    ['pt-br', 'pt-BR'],
    ['pt', 'en'],
    ['zh-Hant-x-a-b', 'zh'],
    ['de;q=0, *', 'en'],
    ['de;q=0', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [', ,', 'en'],
    ['de;q=2, not_a_tag, --, de-', 'en'],
  ] as const
  for (const [fieldValue, language] of expected) {
    assert.equal(negotiateLanguage(fieldValue, offers), language, fieldValue)
  }
  assert.equal(negotiateLanguage(undefined, offers), 'en')
})

test('RFC 9110 §8.5: an HTML page names its language, and is in it', async () => {
  const { request } = running
  const { fields, text } = await request('GET /books', page('de-CH,en;q=0.5'))
  assert.equal(fields['content-language'], 'de')
  assert.match(text, /<html lang="de">/)
  assert.match(text, /<h1>Bücher<\/h1>/)
  assert.match(text, />Buch anlegen<\/a>/)
  const english = await request('GET /books', page('fr'))
  assert.equal(english.fields['content-language'], 'en')
  assert.match(english.text, />New book<\/a>/)
})

test('§12.5.5: Vary names Accept-Language where a response can be HTML, on all formats alike', async () => {
  const { request } = running
  for (const accept of ['text/html', 'application/json']) {
    for (const target of ['/books', '/books/unknown', '/', '/unknown']) {
      assert.match(
        String((await request(`GET ${target}`, { accept })).fields.vary),
        /Accept-Language/,
        target,
      )
    }
  }
  for (const target of ['/books?format=json', '/openapi.json']) {
    assert.doesNotMatch(String((await request(`GET ${target}`)).fields.vary), /Accept-Language/, target)
  }
})

test('problems are in the language of the reader in HTML only', async () => {
  const { request } = running
  const refused = await request(
    'POST /forms/books',
    { ...page('de'), 'content-type': 'application/x-www-form-urlencoded' },
    'title=&pages=0',
  )
  assert.equal(refused.status, 422)
  assert.match(refused.text, /Titel<\/a>: Muss mindestens 1 Zeichen lang sein\./)
  assert.match(refused.text, /Muss mindestens 1 sein\./)
  assert.match((await request('GET /unknown', page('de'))).text, /Diese Seite gibt es nicht\./)
  for (const accept of ['application/json', 'application/xml']) {
    const instance = /urn:uuid:[0-9a-f-]+/
    const [english, german] = await Promise.all(
      ['en', 'de'].map((language) => request('GET /unknown', { accept, 'accept-language': language })),
    )
    assert.equal(german?.text.replace(instance, ''), english?.text.replace(instance, ''))
    assert.equal(german?.fields['content-language'], undefined)
  }
})

test('labels, values and help are translated by the dictionary of the definition', async () => {
  const { request } = running
  await request('POST /books', json, { title: 'Emma' })
  const { text: list } = await request('GET /books', page('de'))
  assert.match(list, />Titel<\/a><\/th>/)
  assert.match(list, /<span class="badge" data-value="paper">Papier<\/span>/)
  assert.match(
    (await request('GET /forms/books', page('de'))).text,
    /Wie auf dem Umschlag\. Bis zu 50 Zeichen\./,
  )
})

test('a translation is text, not markup; plural forms follow CLDR', async () => {
  const { request } = running
  const { text } = await request('GET /books', page('pl'))
  assert.match(text, />Nowy: book &#60;b&#62;<\/a>/)
  const polish = createLanguage('pl', languages.pl)
  assert.deepEqual(
    [1, 2, 5, 22].map((count) => polish.find('books', count)),
    ['książka', 'książki', 'książek', 'książki'],
  )
})

test('a language that is written from right to left has dir', async () => {
  assert.match((await running.request('GET /books', page('ar'))).text, /<html lang="ar" dir="rtl">/)
})

test('numbers and days are written as the language writes them', () => {
  const german = createLanguage('de')
  assert.equal(german.formatNumber(1234.5), '1.234,5')
  assert.equal(german.formatDay('2026-03-05'), '05.03.2026')
  assert.equal(createLanguage('en').formatDay('2026-03-05'), '5 Mar 2026')
  assert.equal(german.format('Up to {1} characters.', [5000]), 'Bis zu 5.000 Zeichen.')
})

test('a text with values is found by its pattern', () => {
  const german = createLanguage('de')
  assert.equal(german.translate('Must be at least 3.'), 'Muss mindestens 3 sein.')
  assert.equal(
    german.translate("Unknown parameter 'titel'. Did you mean 'title'?"),
    'Unbekannter Parameter „titel“. Meinten Sie „title“?',
  )
  assert.equal(german.translate('Words of the definition.'), 'Words of the definition.')
  assert.equal(german.translate('x'.repeat(5000)), 'x'.repeat(5000))
  assert.deepEqual(matchMessage(parseMessage('{2} of {1}.'), 'a of b.'), ['b', 'a'])
  assert.equal(matchMessage(parseMessage('Up to {1}.'), 'Up to .'), undefined)
})

const faultsOf = (given: unknown) => {
  try {
    checkDefinition(service({ title: 'Library', languages: given as never, resources: { books } }))
    return ''
  } catch (error) {
    return String(error)
  }
}

test('unknown texts, placeholders, plural forms and tags are refused, with a suggestion', () => {
  const expected: readonly (readonly [unknown, RegExp])[] = [
    [{ fr: { Edti: 'Modifier' } }, /language 'fr': No page has the text 'Edti'\. Did you mean 'Edit'\?/],
    [{ fr: { boks: 'livres' } }, /Did you mean 'books'\?/],
    [{ fr: { 'New {1}': 'Nouveau' } }, /does not have the placeholder '\{1\}'/],
    [{ fr: { 'New {1}': 'Nouveau {1} {2}' } }, /unknown placeholder '\{2\}'\. Expected: \{1\}\./],
    [{ fr: { 'New {1}': 'Nouveau {noun}' } }, /unknown placeholder '\{noun\}'/],
    [{ fr: { Edit: 1 } }, /must be a text, not 1/],
    [{ fr: { books: { one: 'livre' } } }, /translation of 'books': The option 'other' is missing/],
    [{ fr: { books: { other: 'livres', on: 'livre' } } }, /Unknown option 'on'\. Did you mean 'one'\?/],
    [{ fr: [] }, /Must be an object of translations/],
    [{ 'pt-br': {} }, /Did you mean 'pt-BR'\?/],
    [{ french_: {} }, /is not a language tag/],
    ['fr', /Must be an object/],
  ]
  for (const [given, message] of expected) assert.match(faultsOf(given), message)
  assert.equal(faultsOf({ fr: { Edit: 'Modifier', 'Up to {1} characters.': '{1} caractères au plus.' } }), '')
})
