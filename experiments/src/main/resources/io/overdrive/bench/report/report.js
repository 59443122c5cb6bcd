'use strict';
(() => {
  const plots = JSON.parse(document.getElementById('plots').textContent);
  const SHAPES = ['circle', 'rect', 'triangle', 'rectRot', 'cross', 'star', 'crossRot', 'dash'];
  const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
  const hidden = new Set();
  let charts = [];

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const number = value => value === 0 ? '0' : value.toLocaleString('en', {maximumSignificantDigits: Math.abs(value) < 1000 ? 3 : 4});
  const short = value => value.toLocaleString('en', {notation: 'compact', maximumSignificantDigits: 3}).replace('K', 'k');
  const wrap = text => text.split(' ').reduce((lines, word) => {
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + word.length < 13) lines[last] += ' ' + word;
    else lines.push(word);
    return lines;
  }, []);

  /** A line from low to high through each point, with caps; what leaves the chart area is clipped. */
  const intervals = {
    id: 'intervals',
    afterDatasetsDraw(chart) {
      const {ctx, chartArea, scales} = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(chartArea.left - 8, chartArea.top - 1, chartArea.width + 16, chartArea.height + 2);
      ctx.clip();
      ctx.lineWidth = 1.5;
      chart.getSortedVisibleDatasetMetas().forEach(meta => meta.data.forEach((element, i) => {
        const point = chart.data.datasets[meta.index].data[i];
        if (point.low === undefined) return;
        const cap = chart.config.type === 'bar' ? Math.min(6, element.width / 4) : 4;
        const low = scales.y.getPixelForValue(point.low);
        const high = scales.y.getPixelForValue(point.high);
        ctx.strokeStyle = chart.config.type === 'bar' ? colour('--ink') : chart.data.datasets[meta.index].borderColor;
        ctx.beginPath();
        ctx.moveTo(element.x, low);
        ctx.lineTo(element.x, high);
        ctx.moveTo(element.x - cap, low);
        ctx.lineTo(element.x + cap, low);
        ctx.moveTo(element.x - cap, high);
        ctx.lineTo(element.x + cap, high);
        ctx.stroke();
      }));
      ctx.restore();
    }
  };

  function dataset(plot, panel, name, index) {
    const paint = colour('--series-' + index % 8);
    const common = {label: name, backgroundColor: paint, borderColor: paint, hidden: hidden.has(plot.x + '\n' + name)};
    if (plot.kind === 'TIMELINE') {
      return {...common, data: panel[name].map(([x, y]) => ({x, y})), borderWidth: 1.5, pointRadius: 0, pointHitRadius: 8,
        borderDash: DASHES[Math.floor(index / 8) % 4]};
    }
    const data = plot.labels.filter(label => plot.kind === 'BARS' || panel[name][label.text]).map(label => {
      const [y, low, high, n] = panel[name][label.text] || [null];
      return {x: label.at === undefined ? label.text : label.at, y, low, high, n, text: label.text};
    });
    if (plot.kind === 'BARS') {
      return {...common, data, skipNull: true, maxBarThickness: 56, borderRadius: 2, categoryPercentage: 0.78, barPercentage: 0.92};
    }
    return {...common, data, borderWidth: 2, clip: 8, pointRadius: 4, pointHoverRadius: 6, pointStyle: SHAPES[index % 8],
      borderDash: DASHES[Math.floor(index / 8) % 4]};
  }

  /** The upper end of the vertical axis, the same for all panels so that they can be compared: the highest mean, and intervals up to twice that. */
  function highest(plot) {
    let mean = 0;
    let high = 0;
    for (const panel of plot.panels) {
      for (const name of plot.series) {
        if (hidden.has(plot.x + '\n' + name)) continue;
        for (const point of plot.kind === 'TIMELINE' ? panel[name].map(p => [p[1]]) : Object.values(panel[name])) {
          mean = Math.max(mean, point[0]);
          high = Math.max(high, point[2] || 0);
        }
      }
    }
    return Math.max(mean * 1.04, Math.min(high, mean * 2));
  }

  function horizontal(plot) {
    const ticks = {color: colour('--muted'), maxRotation: 50};
    const title = {display: true, text: plot.x, color: colour('--muted')};
    const grid = {display: false};
    const border = {color: colour('--line')};
    const numbers = plot.labels.filter(label => label.at !== undefined);
    if (plot.kind === 'TIMELINE') {
      return {type: 'linear', min: 0, title, grid, border, ticks};
    }
    if (numbers.length === 0) {
      return {type: 'category', labels: plot.labels.map(label => label.text), title, grid, border, offset: true,
        ticks: {...ticks, callback(value) { return wrap(this.getLabelForValue(value)); }}};
    }
    const texts = new Map(numbers.map(label => [label.at, label.text]));
    const logarithmic = plot.kind === 'LOG_LINES' && numbers.every(label => label.at > 0);
    const ends = [Math.min(...texts.keys()), Math.max(...texts.keys())];
    return {type: logarithmic ? 'logarithmic' : 'linear', title, grid, border, min: ends[0], max: ends[1],
      ticks: {...ticks, autoSkip: false, maxRotation: 0, callback: value => texts.get(value)},
      afterBuildTicks: axis => { axis.ticks = roomy(axis, numbers, logarithmic ? Math.log : value => value); }};
  }

  /** A tick for each level, from the right, unless its name would overlap another. */
  function roomy(axis, labels, scale) {
    const pixels = (axis.chart.width - 70) / (scale(axis.max) - scale(axis.min));
    let free = Infinity;
    return [...labels].sort((a, b) => b.at - a.at).filter(label => {
      const half = label.text.length * 3.6 + 3;
      const middle = scale(label.at) * pixels;
      if (middle + half > free) return false;
      free = middle - half;
      return true;
    }).map(label => ({value: label.at})).reverse();
  }

  function draw(canvas, plot, panel) {
    return new Chart(canvas, {
      type: plot.kind === 'BARS' ? 'bar' : 'line',
      data: {datasets: plot.series.map((name, index) => dataset(plot, panel, name, index))},
      plugins: [intervals],
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: {mode: 'nearest', intersect: false, axis: plot.kind === 'BARS' ? 'x' : 'xy'},
        layout: {padding: {top: 6, right: 8}},
        scales: {
          x: horizontal(plot),
          y: {beginAtZero: true, suggestedMax: highest(plot), max: undefined, grid: {color: colour('--line')},
            border: {display: false}, ticks: {color: colour('--muted'), maxTicksLimit: 7, callback: short}}
        },
        plugins: {
          legend: {display: false},
          tooltip: {
            backgroundColor: colour('--ink'), titleColor: colour('--paper'), bodyColor: colour('--paper'), padding: 10,
            displayColors: false, cornerRadius: 4,
            callbacks: {
              title: items => items.map(item => [item.dataset.label, item.raw.text === undefined
                ? number(item.raw.x) + ' ' + plot.x : plot.x + ' ' + item.raw.text].filter(Boolean).join(', ')),
              label: ({raw}) => number(raw.y) + ' ' + plot.unit,
              afterLabel: ({raw}) => raw.n ? 'between ' + number(raw.low) + ' and ' + number(raw.high) + ', n = ' + raw.n : ''
            }
          }
        }
      }
    });
  }

  function legend(figure, plot) {
    const place = figure.querySelector('.legend');
    place.replaceChildren();
    if (plot.series.length < 2) return;
    place.append(plot.seriesFactor);
    plot.series.forEach((name, index) => {
      const key = plot.x + '\n' + name;
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('aria-pressed', String(!hidden.has(key)));
      button.style.setProperty('--key', 'var(--series-' + index % 8 + ')');
      button.classList.toggle('dashed', index >= 8);
      button.textContent = name;
      button.addEventListener('click', () => {
        if (!hidden.delete(key)) hidden.add(key);
        drawAll();
      });
      place.append(button);
    });
  }

  function drawAll() {
    charts.forEach(chart => chart.destroy());
    charts = [];
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 12;
    document.querySelectorAll('figure.chart').forEach(figure => {
      const plot = plots.charts[figure.dataset.plot];
      if (plot.kind === 'HEAT_MAP') return;
      legend(figure, plot);
      figure.querySelectorAll('canvas').forEach((canvas, i) => charts.push(draw(canvas, plot, plot.panels[i])));
    });
  }

  /** Paper is always light, and canvases have to be redrawn for it. */
  function print(on) {
    document.documentElement.toggleAttribute('data-print', on);
    drawAll();
  }

  function resultText() {
    const packed = Uint8Array.from(atob(document.getElementById('result').textContent), c => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  }

  function rawTable(place, result) {
    const factors = Object.keys(result.arms.length ? result.arms[0].levels : {});
    const figures = Object.keys(plots.figures);
    const table = document.createElement('table');
    table.className = 'figures';
    const row = (section, texts, tag) => {
      const line = section.insertRow();
      texts.forEach(([text, style]) => {
        const cell = document.createElement(tag);
        cell.textContent = text;
        cell.className = style;
        line.append(cell);
      });
    };
    row(table.createTHead(), [['block', 'number'], ...factors.map(f => [f, '']), ...figures.map(f => [plots.figures[f], 'number'])], 'th');
    const body = table.createTBody();
    result.measurements.forEach(m => row(body, [[m.block, 'number'], ...factors.map(f => [m.arm.levels[f], 'level']),
      ...figures.map(f => [m.figures[f] === undefined ? '' : number(Number(m.figures[f])), 'number']),
      ...(m.failure ? [[m.failure, 'failed']] : [])], 'td'));
    place.replaceChildren(table);
  }

  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));

  document.getElementById('runs').addEventListener('toggle', async event => {
    const details = event.target;
    if (details.open) rawTable(details.querySelector('div'), JSON.parse(await resultText()));
  });

  document.getElementById('download').addEventListener('click', async event => {
    const link = document.createElement('a');
    link.download = event.target.dataset.file;
    link.href = URL.createObjectURL(new Blob([await resultText()], {type: 'application/json'}));
    link.click();
    URL.revokeObjectURL(link.href);
  });

  document.getElementById('copy').addEventListener('click', async event => {
    const command = document.getElementById('command');
    try {
      await navigator.clipboard.writeText(command.textContent);
      event.target.textContent = 'Copied';
    } catch (denied) {
      getSelection().selectAllChildren(command);
      event.target.textContent = 'Selected';
    }
  });
})();
