/** The demo in a browser without script: signing in, forms, lost races, selections, views of administrators. */

import { formOf, type SubmittedForm } from '../../html/submitted-form.ts'
import type { Received } from '../player.ts'
import { openShop, password, type World } from '../worlds.ts'
import type { Section } from './sections.ts'

const browser = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-site': 'same-origin',
}
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }

/** Follows the redirect of a form with the notice that it sets. */
async function submit(p: World, as: string | undefined, form: SubmittedForm): Promise<Received> {
  const caller: Record<string, string> = as ? { as } : {}
  const sent = await p.send(`POST ${form.action}`, { ...formed, ...caller }, form.content)
  if (sent.status === 303) await p.send(`GET ${sent.fields.location}`, { ...browser, ...caller })
  return sent
}

async function formAt(p: World, as: string | undefined, uri: string, wanted: RegExp): Promise<SubmittedForm> {
  const caller: Record<string, string> = as ? { as } : {}
  return formOf((await p.send(`GET ${uri}`, { ...browser, ...caller })).text, wanted)
}

async function signIn(p: World, name: string, login: string): Promise<void> {
  const form = await formAt(p, undefined, '/sign-in?next=/articles', /sign-in/)
  await p.send(
    `POST ${form.action}`,
    formed,
    form.set('login', login).set('password', 'wrong password').content,
  )
  await p.send(`POST ${form.action}`, formed, form.set('login', '').content)
  const sent = await p.send(
    `POST ${form.action}`,
    formed,
    form.set('login', login).set('password', password).content,
  )
  p.addCaller(name, { cookie: String(sent.fields['set-cookie']).split(';', 1)[0]! })
}

export const shopForms: Section = {
  name: 'shop-forms',
  open: openShop,
  async play(p) {
    await signIn(p, 'editor in a browser', 'ada@example.org')
    const editor = 'editor in a browser'
    for (const path of [
      '/',
      '/articles',
      '/forms/articles',
      '/tokens',
      '/webhooks',
      '/forms/products',
      '/users',
    ]) {
      await p.send(`GET ${path}`, { ...browser, as: editor })
    }
    for (const site of ['cross-site', 'same-site', 'none']) {
      const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      await p.send('GET /articles', { ...browser, ...navigation, 'sec-fetch-site': site, as: editor })
      await p.send(
        'POST /forms/articles',
        { ...formed, ...navigation, 'sec-fetch-site': site, as: editor },
        'title=X',
      )
    }

    const creation = await formAt(p, editor, '/forms/articles', /forms\/articles/)
    await submit(p, editor, creation.set('slug', 'Not a slug'))
    const filled = creation
      .set('slug', 'by-form')
      .set('title', 'By form')
      .set('tags', 'one\r\ntwo')
      .set('body', 'Text <b>\r\n')
    const made = await submit(p, editor, filled)
    await submit(p, editor, filled)
    await submit(p, editor, filled.set('title', 'Other'))
    const uri = String(made.fields.location).replace(/\?.*/, '')
    const edit = `/forms${uri}`
    const first = await formAt(p, editor, edit, /method=/)
    await submit(p, editor, first)
    await submit(p, editor, first.set('title', ''))
    await submit(p, editor, first.set('title', 'First change'))
    await submit(p, editor, first.set('body', 'Merged text'))
    const lost = await submit(p, editor, first.set('title', 'Lost race').set('body', 'Other text'))
    const kept = formOf(lost.text, /method=/)
    await submit(p, editor, kept)
    const second = await formAt(p, editor, edit, /method=/)
    await submit(p, 'admin', second.set('title', 'By the admin'))

    for (const action of ['publish', 'archive']) {
      const page = await p.send(`GET ${uri}`, { ...browser, as: editor })
      const forms = [...page.text.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)]
      const form = forms.find(([markup]) => markup.includes(`value="${action}"`))
      if (form) await submit(p, editor, formOf(form[0], /./))
    }
    await p.send(`POST ${edit}?method=PATCH`, { ...formed, as: editor }, 'title=Unconditional')
    await p.send(`POST ${edit}?method=PUT`, { ...formed, as: editor }, 'slug=by-form&title=Put')
    await p.send(`POST ${edit}?method=FOO`, { ...formed, as: editor }, 'title=X')
    await p.send(`POST ${edit}`, { ...formed, as: editor }, 'title=X')
    await p.send(
      `POST ${edit}?method=PATCH`,
      { ...browser, as: editor, 'content-type': 'text/plain' },
      'title=X',
    )
    await p.send(`POST ${edit}?method=PATCH`, formed, 'title=Anonymous&slug=kept')
    await p.send(`POST ${edit}?method=DELETE`, { ...formed, as: editor }, '')
    await p.send(`POST ${edit}?method=DELETE`, { ...formed, as: 'admin' }, '')
    await p.send(`POST ${edit}?method=DELETE`, { ...formed, as: 'admin' }, '')
    await p.send(`GET ${edit}`, { ...browser, as: editor })
    await p.send('POST /forms/articles', formed, 'slug=anonymous&title=Kept+input')
    await p.send(
      'POST /forms/articles',
      { ...formed, 'accept-language': 'de' },
      'slug=anonymous&title=Kept+input',
    )
    await p.send('POST /forms/products', { ...formed, as: 'member' }, 'sku=A&name=B&price=1')
    await p.send('POST /forms/products', { ...formed, as: editor }, 'sku=FORM-1&name=Form&price=1.50&stock=')
    await p.send(
      'POST /forms/products',
      { ...formed, as: editor, 'accept-language': 'de' },
      'sku=form&name=&price=x&stock=-1',
    )
    await p.send('GET /forms/articles?title=&status=draft', { ...browser, as: editor })
    await p.send('GET /forms/articles?_import=file', { ...browser, as: editor })
    await p.send('GET /forms/articles', {
      as: editor,
      accept: 'application/json',
      'sec-fetch-site': 'same-origin',
    })
    await p.send('POST /articles', { ...formed, as: editor }, 'slug=direct&title=Direct')
    await p.send('POST /tokens', { ...formed, as: editor }, 'name=By+form')
    await p.send('POST /tokens', { ...formed, as: editor }, 'name=By+form&expiresIn=x')

    const selection = await p.send('GET /products', { ...browser, as: editor })
    await p.send('GET /batch/products', { ...browser, as: editor })
    const batch = formOf(selection.text, /batch\/products/)
    await submit(p, editor, batch)
    for (const content of [
      'id=MUG-1&id=POT-2&change=set&field=stock&value=9',
      'id=MUG-1&id=NONE&change=set&field=stock&value=9',
      'id=MUG-1&change=set&field=stock&value=-9',
      'id=MUG-1&change=set&field=nothing&value=-9',
      'id=MUG-1&change=delete',
      'id=MUG-1',
      'change=delete',
      'id=MUG-1&change=transition:publish',
    ]) {
      await p.send('POST /batch/products', { ...formed, as: editor }, content)
      await p.send(
        'POST /batch/products',
        {
          as: editor,
          accept: 'application/json',
          'content-type': formed['content-type'],
          'sec-fetch-site': 'same-origin',
        },
        content,
      )
    }
    await p.send(
      `POST /batch/articles`,
      { ...formed, as: 'admin' },
      `id=${p.id('articles')}&id=${p.id('articles', 1)}&change=transition:publish`,
    )
    await p.send(`POST /batch/products`, formed, 'id=MUG-1&change=delete')

    const signUp = await formAt(p, undefined, '/forms/users', /forms\/users/)
    const account = signUp.set('email', 'max@example.org').set('name', 'Max').set('password', password)
    await submit(p, undefined, account.set('email', 'ada@example.org'))
    await submit(p, undefined, account.set('password', 'short'))
    await submit(p, undefined, account)
    const own = `/users/${p.id('users', 1)}`
    await p.send(`GET ${own}`, { ...browser, as: editor })
    await p.send(`GET ${own}/credentials`, { ...browser, as: editor })
    const account2 = await formAt(p, editor, `/forms${own}`, /method=/)
    await submit(p, editor, account2.set('name', 'Ada L.'))
    await submit(p, editor, account2.set('password', 'a completely new one'))

    const articles = ['/articles', `/articles/${p.id('articles', 1)}`]
    const other = p.id('users')
    for (const query of [
      '',
      `as-account=${other}`,
      'as-role=member',
      'as-role=nothing',
      'as-account=none',
      `as-account=${other}&as-role=member`,
      `as-account=${other}&format=json`,
      `as-account=${other}&sort=-id`,
    ]) {
      for (const path of [...articles, '/products']) {
        await p.send(`GET ${path}/-/preview?${query}`, { ...browser, as: 'admin' })
      }
      await p.send(`GET /articles/-/preview?${query}`, { ...browser, as: editor })
    }
    for (const account of [`?account=${other}`, `?account=${p.id('users', 1)}`, '?account=none', '']) {
      for (const path of [...articles, '/products/MUG-1', own]) {
        await p.send(`GET ${path}/-/access${account}`, { as: 'admin' })
      }
      await p.send(`GET /products/MUG-1/-/access${account}`, { ...browser, as: 'admin' })
      await p.send(`GET /products/MUG-1/-/access${account}`, { as: 'member' })
    }
    for (const login of ['grace@example.org', 'none@example.org', '']) {
      const sent = `login=${encodeURIComponent(login)}`
      await p.send('POST /products/MUG-1/-/access', { ...formed, as: 'admin' }, sent)
      await p.send('POST /articles/-/preview?sort=-id', { ...formed, as: 'admin' }, sent)
      await p.send('POST /articles/-/preview', { ...formed, as: editor }, sent)
    }
    await p.send('GET /sign-out', { ...browser, as: editor })
    await p.send('POST /sign-out', { ...formed, as: editor }, '')
    await p.send('GET /articles', { ...browser, as: editor })
    await p.send(
      'POST /sign-in',
      { ...formed, 'sec-fetch-site': 'cross-site' },
      `login=ada@example.org&password=${password}`,
    )
    await p.send('GET /sign-in?next=//evil.example', browser)
    await p.send(
      'POST /sign-in?next=//evil.example',
      formed,
      `login=grace@example.org&password=${password.replaceAll(' ', '+')}`,
    )
    await p.send('POST /sign-in', { 'content-type': 'application/json' }, '{}')
  },
}
