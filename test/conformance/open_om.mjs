// Opens an .om with Netron's own reader and prints what it sees as JSON.
//   node open_om.mjs NETRON-FOLDER FILE.om
// NETRON-FOLDER holds the files that test_netron.py lists, and a package.json
// with "type": "module".
// SPDX-License-Identifier: Apache-2.0
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as url from 'node:url';

const [folder, file] = process.argv.slice(2);
const load = (name) => import(url.pathToFileURL(path.join(folder, name)).href);
const base = await load('base.js');
const om = await load('om.js');

// What a Netron host gives to a reader, as far as this reader asks for it.
const types = JSON.parse(
    fs.readFileSync(path.join(folder, 'om-metadata.json'), 'utf-8'));
const metadata = {
    type: (name) => types.find((type) => type.name === name),
    attribute: () => null
};
const context = {
    identifier: path.basename(file),
    stream: new base.BinaryStream(new Uint8Array(fs.readFileSync(file))),
    set(type, value) {
        this.type = type;
        this.value = value;
        return type;
    },
    metadata: async () => metadata,
    require: (id) => load(`${id.replace('./', '')}.js`)
};

const factory = new om.ModelFactory();
if (!await factory.match(context)) {
    throw new Error('not recognized as an offline model');
}
const model = await factory.open(context);

const describe = (value) => ({
    name: value.name,
    type: value.type ? value.type.toString() : null,
    bytes: value.initializer && value.initializer.values ?
        value.initializer.values.length : null
});
const values = (list) => list.flatMap((argument) => argument.value.map(describe));
console.log(JSON.stringify({
    format: model.format,
    graphs: model.modules.map((graph) => ({
        name: graph.name,
        nodes: graph.nodes.map((node) => ({
            name: node.name,
            type: node.type.name,
            inputs: values(node.inputs),
            outputs: values(node.outputs)
        }))
    }))
}));
