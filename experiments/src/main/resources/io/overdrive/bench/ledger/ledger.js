(() => {
  'use strict';
  const find = document.getElementById('find');
  const outcome = document.getElementById('outcome');
  const articles = [...document.querySelectorAll('article')];
  const words = articles.map(article => (article.dataset.words + ' ' + article.textContent).replace(/\s+/g, ' ').toLowerCase());

  function show() {
    const wanted = find.value.trim().toLowerCase();
    // a slide is found by its whole number
    const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + (/\d$/.test(wanted) ? '(?!\\d)' : ''));
    let shown = 0;
    articles.forEach((article, i) => {
      const all = article.dataset.outcome;
      const fits = !outcome.value || all === outcome.value || all === outcome.value + ' stale' || (outcome.value === 'stale' && all.endsWith(' stale'));
      article.hidden = !fits || !pattern.test(words[i]);
      shown += article.hidden ? 0 : 1;
    });
    document.querySelectorAll('.document').forEach(source => { source.hidden = !source.querySelector('article:not([hidden])'); });
    document.getElementById('shown').textContent = shown === articles.length ? '' : shown + ' of ' + articles.length;
  }

  find.addEventListener('input', show);
  outcome.addEventListener('change', show);
  document.querySelector('form').addEventListener('submit', event => event.preventDefault());
  // a link to a row that the filter hides shows all again
  addEventListener('hashchange', () => {
    const row = document.querySelector('article[hidden]' + (location.hash || '#none'));
    if (row) {
      find.value = outcome.value = '';
      show();
      row.scrollIntoView();
    }
  });
  show();
})();
