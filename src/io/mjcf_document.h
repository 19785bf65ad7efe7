#pragma once

// An MJCF file and all files it includes as one tree. <include> may stand anywhere and is replaced by the
// children of the included root element; every element remembers the file it came from, so that places stay
// right. The tree is flat and is built without recursion.

#include "io/xml.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace lig::io::mjcf {

class Document {
public:
    struct Element {
        pugi::xml_node node;
        const XmlSource* source = nullptr;
        int first_child = -1;
        int next_sibling = -1;
    };

    Document(const XmlSource& main, Diagnostics& log);

    static constexpr int root = 0;
    const Element& operator[](int index) const { return elements_[index]; }
    std::string_view name(int index) const { return elements_[index].node.name(); }
    SourceLocation where(int index) const { return elements_[index].source->locate(elements_[index].node); }
    ElementReader reader(int index) const {
        return ElementReader(*elements_[index].source, elements_[index].node, log_);
    }
    const XmlSource& main() const { return main_; }

    // for (const int child : document.children(parent))
    struct ChildIterator {
        const Document* document;
        int index;
        int operator*() const { return index; }
        ChildIterator& operator++() {
            index = document->elements_[index].next_sibling;
            return *this;
        }
        bool operator!=(const ChildIterator& other) const { return index != other.index; }
    };
    struct Children {
        const Document* document;
        int first;
        ChildIterator begin() const { return {document, first}; }
        ChildIterator end() const { return {document, -1}; }
    };
    Children children(int index) const { return {this, elements_[index].first_child}; }

private:
    struct File {
        SourceLocation included_at;
        const XmlSource* source;
    };
    // The rest of one list of children while the tree is being built. An include adds a level whose elements
    // go to the same parent; `file` then tells which.
    struct Level {
        pugi::xml_node next;
        const XmlSource* source;
        int parent;
        int file;  // index into files_ when the level is the content of an included file, else -1
    };

    void build();
    int append(int parent, pugi::xml_node node, const XmlSource& source);
    void include(pugi::xml_node node, const XmlSource& from, int parent);
    std::string include_chain(const File& repeated) const;

    const XmlSource& main_;
    Diagnostics& log_;
    std::vector<Element> elements_;
    std::vector<int> last_child_;
    std::vector<Level> levels_;
    std::vector<File> files_;
    std::unordered_map<std::string, std::size_t> file_index_;  // by canonical path
    std::vector<std::unique_ptr<XmlSource>> included_;
};

}  // namespace lig::io::mjcf
